"""The table of operations: id, method, path, view.

`{name}` is one path segment; `{wildcard}` is the rest of the path, percent-decoded once, possibly empty. A literal segment has
precedence over a parameter, and a parameter over the wildcard, whatever the order here.
"""

from django.urls import re_path

from dashboard.sandbox import bans, switches
from dashboard.sandbox.dispatch import Operation, dispatcher
from dashboard.sandbox.management import encryption, functions, hostname, network, organizations, projects, secrets, types
from dashboard.sandbox.storage import buckets, objects, signed_links

STORAGE = "/{ref}/storage/v1"

# fmt: off
OPERATIONS = [
    Operation("M1",  "GET",    "/v1/projects",                                         projects.all),
    Operation("M2",  "POST",   "/v1/projects",                                         projects.create),
    Operation("M3",  "GET",    "/v1/organizations",                                    organizations.all),
    Operation("M4",  "POST",   "/v1/organizations",                                    organizations.create),
    Operation("M5",  "GET",    "/v1/projects/{ref}/secrets",                           secrets.all),
    Operation("M6",  "POST",   "/v1/projects/{ref}/secrets",                           secrets.create),
    Operation("M7",  "DELETE", "/v1/projects/{ref}/secrets",                           secrets.delete),
    Operation("M8",  "GET",    "/v1/projects/{ref}/types/typescript",                  types.generate),
    Operation("M9",  "POST",   "/v1/projects/{ref}/functions",                         functions.create),
    Operation("M10", "GET",    "/v1/projects/{ref}/functions",                         functions.all),
    Operation("M11", "GET",    "/v1/projects/{ref}/functions/{function_slug}",         functions.get),
    Operation("M12", "PATCH",  "/v1/projects/{ref}/functions/{function_slug}",         functions.update),
    Operation("M13", "DELETE", "/v1/projects/{ref}/functions/{function_slug}",         functions.delete),
    Operation("M14", "GET",    "/v1/projects/{ref}/functions/{function_slug}/body",    functions.body),
    Operation("M15", "GET",    "/v1/projects/{ref}/custom-hostname",                   hostname.get),
    Operation("M16", "DELETE", "/v1/projects/{ref}/custom-hostname",                   hostname.delete),
    Operation("M17", "POST",   "/v1/projects/{ref}/custom-hostname/initialize",        hostname.initialize),
    Operation("M18", "POST",   "/v1/projects/{ref}/custom-hostname/reverify",          hostname.reverify),
    Operation("M19", "POST",   "/v1/projects/{ref}/custom-hostname/activate",          hostname.activate),
    Operation("M20", "GET",    "/v1/projects/{ref}/pgsodium",                          encryption.get),
    Operation("M21", "PUT",    "/v1/projects/{ref}/pgsodium",                          encryption.update),
    Operation("M22", "POST",   "/v1/projects/{ref}/network-bans/retrieve",             network.bans),
    Operation("M23", "DELETE", "/v1/projects/{ref}/network-bans",                      network.unban),
    Operation("M24", "GET",    "/v1/projects/{ref}/network-restrictions",              network.restrictions),
    Operation("M25", "POST",   "/v1/projects/{ref}/network-restrictions/apply",        network.apply),

    Operation("S1",  "POST",   STORAGE + "/bucket/",                                   buckets.create),
    Operation("S2",  "GET",    STORAGE + "/bucket/",                                   buckets.all),
    Operation("S3",  "POST",   STORAGE + "/bucket/{bucket}/empty",                     buckets.empty),
    Operation("S4",  "GET",    STORAGE + "/bucket/{bucket}",                           buckets.get),
    Operation("S5",  "PUT",    STORAGE + "/bucket/{bucket}",                           buckets.update),
    Operation("S6",  "DELETE", STORAGE + "/bucket/{bucket}",                           buckets.delete),
    Operation("S7",  "DELETE", STORAGE + "/object/{bucket}/{wildcard}",                objects.delete),
    Operation("S8",  "DELETE", STORAGE + "/object/{bucket}",                           objects.delete_many),
    Operation("S9",  "POST",   STORAGE + "/object/{bucket}/{wildcard}",                objects.upload),
    Operation("S10", "PUT",    STORAGE + "/object/{bucket}/{wildcard}",                objects.replace),
    Operation("S11", "POST",   STORAGE + "/object/move",                               objects.move),
    Operation("S12", "POST",   STORAGE + "/object/copy",                               objects.copy),
    Operation("S13", "POST",   STORAGE + "/object/list/{bucket}",                      objects.all),
    Operation("S14", "POST",   STORAGE + "/object/sign/{bucket}/{wildcard}",           signed_links.sign),
    Operation("S15", "POST",   STORAGE + "/object/sign/{bucket}",                      signed_links.sign_many),
    Operation("S16", "GET",    STORAGE + "/object/sign/{bucket}/{wildcard}",           signed_links.open),
    Operation("S17", "GET",    STORAGE + "/object/{bucket}/{wildcard}",                objects.get),
    Operation("S18", "GET",    STORAGE + "/object/authenticated/{bucket}/{wildcard}",  objects.read),
    Operation("S19", "GET",    STORAGE + "/object/info/authenticated/{bucket}/{wildcard}", objects.info),
    Operation("S20", "GET",    STORAGE + "/object/public/{bucket}/{wildcard}",         objects.read_public),
    Operation("S21", "GET",    STORAGE + "/object/info/public/{bucket}/{wildcard}",    objects.info_public),
]

# Paths of today's service for the same operations, which its official clients use.
ALSO = [
    Operation("S19", "GET",    STORAGE + "/object/info/{bucket}/{wildcard}",           objects.info_short),
]

# Test switches, not part of the interface.
SWITCHES = [
    Operation("_keys",   "GET",    "/_keys",   switches.keys),
    Operation("_bans",   "POST",   "/_bans",   bans.ban),
    Operation("_dns",    "GET",    "/_dns",    switches.records),
    Operation("_dns",    "POST",   "/_dns",    switches.change_records),
    Operation("_faults", "GET",    "/_faults", switches.all_faults),
    Operation("_faults", "POST",   "/_faults", switches.set_faults),
    Operation("_faults", "DELETE", "/_faults", switches.clear_faults),
    Operation("_race",   "POST",   "/_race",   switches.set_race),
    Operation("_wildcards", "POST", "/_wildcards", switches.set_wildcards),
    Operation("_tls",    "GET",    "/_tls",    switches.certificates),
    Operation("_tls",    "POST",   "/_tls",    switches.set_certificate),
]
# fmt: on

urlpatterns = [re_path(r"", dispatcher([*OPERATIONS, *ALSO, *SWITCHES]))]
