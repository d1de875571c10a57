/// The files of the page. They are part of the program (`resources` in Package.swift).
struct PageFile {
    let type: String
    let bytes: [UInt8]

    static func named(_ name: String) -> PageFile? {
        switch name {
        case "index.html": PageFile(type: "text/html; charset=utf-8", bytes: PackageResources.index_html)
        case "adding.js": script(PackageResources.adding_js)
        case "details.js": script(PackageResources.details_js)
        case "dialog.js": script(PackageResources.dialog_js)
        case "document.js": script(PackageResources.document_js)
        case "dom.js": script(PackageResources.dom_js)
        case "dragging.js": script(PackageResources.dragging_js)
        case "filter.js": script(PackageResources.filter_js)
        case "history.js": script(PackageResources.history_js)
        case "look.js": script(PackageResources.look_js)
        case "moving.js": script(PackageResources.moving_js)
        case "naming.js": script(PackageResources.naming_js)
        case "page.js": script(PackageResources.page_js)
        case "preferred.js": script(PackageResources.preferred_js)
        case "status.js": script(PackageResources.status_js)
        case "texts.js": script(PackageResources.texts_js)
        case "style.css": PageFile(type: "text/css; charset=utf-8", bytes: PackageResources.style_css)
        // Browsers ask for the second where a page names none.
        case "icon.svg", "favicon.ico": PageFile(type: "image/svg+xml", bytes: PackageResources.icon_svg)
        default: nil
        }
    }

    private static func script(_ bytes: [UInt8]) -> PageFile {
        PageFile(type: "text/javascript; charset=utf-8", bytes: bytes)
    }
}
