/* A bare storage service for measuring: speaks just enough of the storage interface, keeps nothing, one thread a connection.
 *
 *   POST, PUT …/object/<bucket>/<key>            S9, S10: the body is read and dropped
 *   POST      …/object/sign/<bucket>[/<key>]     S14, S15
 *   POST      …/object/list/<bucket>             S13: nothing, but n objects of b bytes for the folder "pack-<n>x<b>/"
 *   GET       …/object/authenticated/…/zeros-<n> S18: n zero bytes
 *   GET       …/object/info/…/zeros-<n>          S19
 *   GET       …/bucket[/<id>]                    S2, S4
 *   GET       /_received                         {"bytes": of all bodies so far, "requests": number of them}
 *
 * usage: sink; prints the loopback port it took.
 */
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <netinet/tcp.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <unistd.h>

#define HEAD 65536
#define BLOCK (1 << 20)
#define BODY 4096

static atomic_llong received, requests;
static char zeros[BLOCK];

static int send_all(int client, const char *data, size_t size) {
    while (size) {
        ssize_t sent = send(client, data, size, MSG_NOSIGNAL);
        if (sent <= 0) return -1;
        data += sent, size -= (size_t)sent;
    }
    return 0;
}

static int answer(int client, const char *status, const char *json, int with_body) {
    char text[256];
    int size = snprintf(text, sizeof text,
                        "HTTP/1.1 %s\r\nContent-Type: application/json; charset=utf-8\r\nContent-Length: %zu\r\n\r\n", status,
                        strlen(json));
    if (send_all(client, text, (size_t)size)) return -1;
    return with_body ? send_all(client, json, strlen(json)) : 0;
}

static const char *header(const char *head, const char *name) {
    const char *found = strcasestr(head, name);
    return found ? found + strlen(name) : NULL;
}

static int serve_zeros(int client, long long size, int with_body) {
    char text[512];
    int length = snprintf(text, sizeof text,
                          "HTTP/1.1 200 OK\r\nContent-Type: application/octet-stream\r\nContent-Length: %lld\r\nAccept-Ranges: bytes\r\n"
                          "Cache-Control: no-cache\r\nETag: \"zeros-%lld\"\r\nLast-Modified: Fri, 20 Nov 2026 10:36:10 GMT\r\n\r\n",
                          size, size);
    if (send_all(client, text, (size_t)length)) return -1;
    while (with_body && size > 0) {
        size_t part = size < BLOCK ? (size_t)size : BLOCK;
        if (send_all(client, zeros, part)) return -1;
        size -= (long long)part;
    }
    return 0;
}

/* One page of the folder that the body asks for. */
static int list(int client, const char *body) {
    const char *folder = strstr(body, "\"pack-"), *from = strstr(body, "\"offset\":"), *most = strstr(body, "\"limit\":");
    long count = 0, offset = from ? atol(from + 9) : 0, limit = most ? atol(most + 8) : 100;
    long long size = 0;
    if (folder) sscanf(folder, "\"pack-%ldx%lld/", &count, &size);
    char *json = malloc((size_t)(limit > 0 ? limit : 0) * 300 + 16), *at = json;
    if (!json) return -1;
    *at++ = '[';
    for (long number = offset; number < count && number < offset + limit; number++)
        at += sprintf(at,
                      "%s{\"name\":\"zeros-%lld-%06ld\",\"id\":\"0c78ee08-ab2f-4ae1-b813-02cb4643f90e\",\"updated_at\":"
                      "\"2026-11-20T10:36:10.093Z\",\"metadata\":{\"size\":%lld,\"mimetype\":\"application/octet-stream\"}}",
                      number > offset ? "," : "", size, number, size);
    strcpy(at, "]");
    int failed = answer(client, "200 OK", json, 1);
    free(json);
    return failed;
}

static int respond(int client, const char *method, const char *path, const char *body) {
    static const char bucket[] = "{\"id\":\"bench\",\"name\":\"bench\",\"owner\":\"\",\"public\":false,\"file_size_limit\":null,"
                                 "\"allowed_mime_types\":null,\"created_at\":\"2026-11-20T10:36:09.721Z\","
                                 "\"updated_at\":\"2026-11-20T10:36:09.721Z\"}";
    char json[2048];
    int with_body = strcmp(method, "HEAD") != 0, reads = strcmp(method, "GET") == 0 || !with_body;
    const char *named = strstr(path, "/zeros-");
    long long size = named ? atoll(named + 7) : -1;

    if (reads && strncmp(path, "/_received", 10) == 0)
        snprintf(json, sizeof json, "{\"bytes\":%lld,\"requests\":%lld}", (long long)received, (long long)requests);
    else if (reads && strstr(path, "/object/info/") && size >= 0)
        snprintf(json, sizeof json,
                 "{\"id\":\"0c78ee08-ab2f-4ae1-b813-02cb4643f90e\",\"name\":\"zeros-%lld\",\"version\":\"1\",\"bucket_id\":\"bench\","
                 "\"size\":%lld,\"content_type\":\"application/octet-stream\",\"cache_control\":\"no-cache\",\"etag\":\"\\\"1\\\"\","
                 "\"metadata\":{},\"last_modified\":\"2026-11-20T10:36:10.093Z\",\"created_at\":\"2026-11-20T10:36:10.080Z\"}",
                 size, size);
    else if (reads && strstr(path, "/object/") && size >= 0)
        return serve_zeros(client, size, with_body);
    else if (reads && strstr(path, "/bucket/bench"))
        snprintf(json, sizeof json, "%s", bucket);
    else if (reads && strstr(path, "/bucket"))
        snprintf(json, sizeof json, "[%s]", bucket);
    else if (!reads && strstr(path, "/object/sign/"))
        snprintf(json, sizeof json, "{\"signedURL\":\"/object/sign/bench/zeros-1?token=none\"}");
    else if (!reads && strstr(path, "/object/list/"))
        return list(client, body);
    else if (!reads && strstr(path, "/object/"))
        snprintf(json, sizeof json, "{\"Key\":\"bench/stored\",\"Id\":\"0c78ee08-ab2f-4ae1-b813-02cb4643f90e\"}");
    else
        return answer(client, "400 Bad Request",
                      "{\"statusCode\":\"404\",\"error\":\"not_found\",\"message\":\"Object not found\",\"code\":\"NoSuchKey\"}", with_body);
    return answer(client, "200 OK", json, with_body);
}

/* Requests of one connection, one after the other, until it closes or says something that is not understood. */
static void *connection(void *argument) {
    int client = (int)(long)argument, one = 1;
    char *head = malloc(HEAD + 1), *block = malloc(BLOCK);
    size_t have = 0;
    setsockopt(client, IPPROTO_TCP, TCP_NODELAY, &one, sizeof one);
    while (head && block) {
        char *end;
        head[have] = 0;
        while (!(end = strstr(head, "\r\n\r\n"))) {
            ssize_t got = have < HEAD ? recv(client, head + have, HEAD - have, 0) : -1;
            if (got <= 0) goto closed;
            have += (size_t)got;
            head[have] = 0;
        }
        *end = 0;
        char method[16] = "", path[8192] = "";
        if (sscanf(head, "%15s %8191s", method, path) != 2 || header(head, "\ntransfer-encoding:")) goto closed;
        const char *length = header(head, "\ncontent-length:"), *expects = header(head, "\nexpect: 100");
        long long left = length ? atoll(length) : 0, whole = left;
        size_t used = (size_t)(end + 4 - head), early = have - used;
        if (expects && send_all(client, "HTTP/1.1 100 Continue\r\n\r\n", 25)) goto closed;
        if ((long long)early > left) early = (size_t)left;
        left -= (long long)early;
        char body[BODY + 1];
        size_t kept = early < BODY ? early : BODY;
        memcpy(body, end + 4, kept);
        while (left > 0) {
            ssize_t got = recv(client, block, left < BLOCK ? (size_t)left : BLOCK, 0);
            if (got <= 0) goto closed;
            left -= got;
            size_t more = (size_t)got < BODY - kept ? (size_t)got : BODY - kept;
            memcpy(body + kept, block, more);
            kept += more;
        }
        body[kept] = 0;
        if (length && strstr(path, "/object/") && !strstr(path, "/object/sign/") && !strstr(path, "/object/list/")) {
            atomic_fetch_add(&received, whole);
            atomic_fetch_add(&requests, 1);
        }
        if (respond(client, method, path, body)) goto closed;
        have -= used + early;
        memmove(head, head + used + early, have);
    }
closed:
    close(client);
    free(head);
    free(block);
    return NULL;
}

int main(void) {
    struct sockaddr_in address = {.sin_family = AF_INET, .sin_addr = {htonl(INADDR_LOOPBACK)}};
    socklen_t size = sizeof address;
    int listener = socket(AF_INET, SOCK_STREAM, 0);
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (bind(listener, (struct sockaddr *)&address, size) || listen(listener, 256)) return 1;
    getsockname(listener, (struct sockaddr *)&address, &size);
    printf("%d\n", ntohs(address.sin_port));
    fflush(stdout);
    for (;;) {
        int client = accept(listener, NULL, NULL);
        pthread_t thread;
        if (client < 0) continue;
        if (pthread_create(&thread, NULL, connection, (void *)(long)client)) close(client);
        else pthread_detach(thread);
    }
}
