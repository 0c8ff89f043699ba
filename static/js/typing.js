// What forms with long text or secrets need. The files are written in here when it is served.
// include "secret.js"
// include "kept-text.js"
