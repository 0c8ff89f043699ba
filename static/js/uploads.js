// What uploading needs besides upload-picker.js, which asks for it with the first files. The files are written in here when it is served.
// include "upload-intake.js"
// include "send-queue.js"
// include "upload-queue.js"
// include "upload-session.js"
// include "upload-plan.js"
// include "upload-tray.js"
// include "upload-rows.js"
// include "upload-pending.js"
