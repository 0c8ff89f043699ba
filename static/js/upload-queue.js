// What uploading needs beside upload-pick.js, which asks for it with the first files. It is written in here when it is served.
// include "upload-ask.js"
// include "upload-names.js"
// include "uploads.js"
// include "upload-plan.js"
// include "upload-check.js"
// include "upload-rows.js"
// include "upload-tray.js"
// include "upload-after.js"
