// The scripts of the pages that edit a draft of many secrets. The files are written in here when it is served.
// include "secret.js"
// include "kept-text.js"
// include "secret-draft.js"
