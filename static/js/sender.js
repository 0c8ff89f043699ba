// What the page of a file request needs to send files. The files are written in here when it is served.
// include "send-queue.js"
// include "file-sender.js"
