// The scripts of the object browser. They are written in here when it is served.
// include "upload-pick.js"
// include "selection.js"
// include "panel.js"
// include "rows.js"
