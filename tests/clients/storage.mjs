// The official JavaScript client against the storage at URL, with KEY and WEAK_KEY; one line "ok <what>" per check, then "done".
import assert from "node:assert/strict";
import { createRequire } from "node:module";

const require = createRequire(process.env.STORAGE_JS_DIR + "/");
const { StorageClient } = require("@supabase/storage-js");
const { URL: address, KEY: key, WEAK_KEY: weakKey } = process.env;
const connect = (token) => new StorageClient(address, { Authorization: `Bearer ${token}`, apikey: token });
const client = connect(key);
const text = async (blob) => Buffer.from(await blob.arrayBuffer()).toString();
const names = (rows) => rows.map((row) => row.name);

async function good(answer) {
  const { data, error } = await answer;
  assert.equal(error, null);
  return data;
}

async function refused(answer, statusCode, message) {
  const { data, error } = await answer;
  assert.equal(data, null);
  assert.deepEqual([error.status, String(error.statusCode), error.message], [400, statusCode, message]);
}

const checks = {
  async "buckets are made, listed, read, changed"() {
    const made = await good(client.createBucket("js", { public: false, fileSizeLimit: "10MB", allowedMimeTypes: ["text/*", "image/png"] }));
    assert.deepEqual(made, { name: "js" });
    await refused(client.createBucket("js"), "409", "The resource already exists");
    assert.ok(names(await good(client.listBuckets())).includes("js"));
    assert.deepEqual(names(await good(client.listBuckets({ search: "J", limit: 1, sortColumn: "name", sortOrder: "asc" }))), ["js"]);
    const found = await good(client.getBucket("js"));
    assert.deepEqual([found.id, found.public, found.file_size_limit, found.allowed_mime_types], ["js", false, 1e7, ["text/*", "image/png"]]);
    assert.deepEqual(await good(client.updateBucket("js", { public: true })), { message: "Successfully updated" });
    assert.equal((await good(client.getBucket("js"))).public, true);
    await refused(client.getBucket("nope"), "404", "Bucket not found");
    await refused(client.createBucket("a/b"), "400", "Bucket name invalid");
  },
  async "uploads as text, bytes, a blob, a form and a stream"() {
    const shelf = client.from("js");
    const made = await good(shelf.upload("folder/text.txt", "hello world", { cacheControl: "60", metadata: { from: "here" } }));
    assert.deepEqual([made.path, made.fullPath, typeof made.id], ["folder/text.txt", "js/folder/text.txt", "string"]);
    await good(shelf.upload("folder/bytes", Buffer.from("bytes"), { contentType: "text/css" }));
    await good(shelf.upload("folder/blob", new Blob(["blob"], { type: "image/png" }), { metadata: { a: 1 } }));
    const form = new FormData();
    form.append("cacheControl", "7");
    form.append("", new File(["form"], "ü.txt", { type: "text/markdown" }));
    await good(shelf.upload("folder/form", form));
    await good(shelf.upload("folder/stream", new Blob(["stream"]).stream(), { contentType: "text/plain", duplex: "half" }));
    for (const [name, content] of [["text.txt", "hello world"], ["bytes", "bytes"], ["blob", "blob"], ["form", "form"], ["stream", "stream"]])
      assert.equal(await text(await good(shelf.download(`folder/${name}`))), content);
    const info = await good(shelf.info("folder/text.txt"));
    assert.deepEqual([info.contentType, info.cacheControl, info.metadata, info.size], ["text/plain;charset=UTF-8", "max-age=60", { from: "here" }, 11]);
    assert.deepEqual((await good(shelf.info("folder/blob"))).metadata, { a: 1 });
    assert.equal((await good(shelf.info("folder/form"))).cacheControl, "max-age=7");
  },
  async "an existing object is replaced only when told so"() {
    const shelf = client.from("js");
    await refused(shelf.upload("folder/text.txt", "again"), "409", "The resource already exists");
    await good(shelf.upload("folder/text.txt", "upserted", { upsert: true }));
    assert.equal(await text(await good(shelf.download("folder/text.txt"))), "upserted");
    await good(shelf.update("folder/text.txt", "updated"));
    assert.equal(await text(await good(shelf.download("folder/text.txt"))), "updated");
  },
  async "sizes and types are limited"() {
    await good(client.createBucket("js-limited", { fileSizeLimit: 10, allowedMimeTypes: ["image/png"] }));
    const shelf = client.from("js-limited");
    await refused(shelf.upload("a", "text"), "415", "mime type text/plain;charset=UTF-8 is not supported");
    await refused(shelf.upload("a", new Blob(["x".repeat(11)], { type: "image/png" })), "413", "The object exceeded the maximum allowed size");
    await refused(shelf.upload("a", Buffer.alloc(11), { contentType: "image/png" }), "413", "The object exceeded the maximum allowed size");
    await good(shelf.upload("a", new Blob(["x".repeat(10)], { type: "image/png" })));
  },
  async "folders are listed with paging, order and search"() {
    const shelf = client.from("js");
    assert.deepEqual(names(await good(shelf.list())), ["folder"]);
    assert.deepEqual(names(await good(shelf.list("folder"))), ["blob", "bytes", "form", "stream", "text.txt"]);
    assert.deepEqual(names(await good(shelf.list("folder", { limit: 2, offset: 1, sortBy: { column: "name", order: "desc" } }))), ["stream", "form"]);
    assert.deepEqual(names(await good(shelf.list("folder", { search: "B" }))), ["blob", "bytes"]);
    assert.deepEqual(names(await good(shelf.list("nope"))), []);
    await refused(shelf.list("", { limit: 0 }), "400", "body/limit must be >= 1");
  },
  async "links open without a token, whole and in part"() {
    const shelf = client.from("js");
    await good(shelf.upload("folder/a b+c.txt", "spaces"));
    const { signedUrl } = await good(shelf.createSignedUrl("folder/a b+c.txt", 60, { download: "name.txt" }));
    const reply = await fetch(signedUrl);
    assert.deepEqual([reply.status, await reply.text()], [200, "spaces"]);
    assert.match(reply.headers.get("content-disposition"), /filename=name\.txt/);
    const part = await fetch(signedUrl, { headers: { Range: "bytes=1-3" } });
    assert.deepEqual([part.status, await part.text(), part.headers.get("content-range")], [206, "pac", "bytes 1-3/6"]);
    const items = await good(shelf.createSignedUrls(["folder/text.txt", "nope"], 60));
    assert.equal(await (await fetch(items[0].signedUrl)).text(), "updated");
    assert.equal(items[1].error, "Either the object does not exist or you do not have access to it");
    await refused(shelf.createSignedUrl("nope", 60), "404", "Object not found");
    assert.equal((await fetch(signedUrl.slice(0, -90))).status, 400);
  },
  async "a public bucket opens for everybody"() {
    const { publicUrl } = client.from("js").getPublicUrl("folder/text.txt").data;
    assert.equal(await (await fetch(publicUrl)).text(), "updated");
    await good(client.updateBucket("js", { public: false }));
    assert.equal((await fetch(publicUrl)).status, 400);
  },
  async "what exists is told from what does not"() {
    const shelf = client.from("js");
    assert.equal((await shelf.exists("folder/text.txt")).data, true);
    assert.equal((await shelf.exists("nope")).data, false);
    const { error } = await shelf.download("nope");
    assert.equal(error.status ?? error.originalError.status, 400);
  },
  async "objects are moved and copied, within a bucket and across"() {
    const shelf = client.from("js");
    assert.deepEqual(await good(shelf.move("folder/blob", "moved/blob")), { message: "Successfully moved" });
    await refused(shelf.move("folder/blob", "x"), "404", "Object not found");
    await refused(shelf.move("moved/blob", "folder/bytes"), "409", "The resource already exists");
    assert.equal((await good(shelf.copy("moved/blob", "copied"))).path, "js/copied");
    assert.equal((await good(shelf.copy("copied", "copied", { destinationBucket: "js-limited" }))).path, "js-limited/copied");
    await good(shelf.move("copied", "gone", { destinationBucket: "js-limited" }));
    assert.deepEqual(names(await good(client.from("js-limited").list())), ["a", "copied", "gone"]);
  },
  async "a weaker key sees nothing and a wrong one is refused"() {
    assert.deepEqual(await good(connect(weakKey).listBuckets()), []);
    assert.deepEqual(await good(connect(weakKey).from("js").list("folder")), []);
    await refused(connect(weakKey).from("js").upload("x", "x"), "403", "new row violates row-level security policy");
    await refused(connect("garbage").listBuckets(), "403", "Invalid Compact JWS");
  },
  async "objects are removed, buckets emptied and deleted"() {
    const gone = await good(client.from("js").remove(["folder/text.txt", "nope"]));
    assert.deepEqual(names(gone), ["folder/text.txt"]);
    await refused(client.deleteBucket("js"), "409", "The bucket you tried to delete is not empty");
    for (const bucket of ["js", "js-limited"]) {
      assert.match((await good(client.emptyBucket(bucket))).message, /^Empty bucket has been queued/);
      assert.deepEqual(await good(client.deleteBucket(bucket)), { message: "Successfully deleted" });
    }
  },
};

for (const [what, check] of Object.entries(checks)) {
  await check();
  console.log(`ok ${what}`);
}
console.log("done");
