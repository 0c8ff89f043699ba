// The scripts of the object browser. They are written in here when it is served.
// include "upload-picker.js"
// include "list-selection.js"
// include "object-panel.js"
// include "object-list.js"
// include "thumbnails.js"
