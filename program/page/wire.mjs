// Writes src/wire.ts: a type for each schema of docs/openapi.json, whose schemas of replies are those of the Rust types.
import { readFileSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";

const at = (path) => fileURLToPath(new URL(path, import.meta.url));
const { schemas } = JSON.parse(readFileSync(at("../../docs/openapi.json"), "utf8")).components;

const scalars = { string: "string", integer: "number", number: "number", boolean: "boolean", null: "null" };

function typeOf(schema) {
    if (schema.$ref) return schema.$ref.split("/").pop();
    if (schema.enum) return schema.enum.map((value) => JSON.stringify(value)).join(" | ");
    if (schema.anyOf) return schema.anyOf.map(typeOf).join(" | ");
    if (Array.isArray(schema.type)) return schema.type.map((type) => typeOf({ ...schema, type })).join(" | ");
    if (schema.type === "array") return listOf(schema);
    if (schema.type === "object" || schema.properties) return objectOf(schema);
    return scalars[schema.type] ?? "unknown";
}

function listOf({ prefixItems, items, minItems, maxItems }) {
    if (prefixItems) return `[${prefixItems.map(typeOf).join(", ")}]`;
    if (minItems && minItems === maxItems) return `[${Array(minItems).fill(typeOf(items)).join(", ")}]`;
    const item = items ? typeOf(items) : "unknown";
    return /[ {]/.test(item) ? `(${item})[]` : `${item}[]`;
}

function objectOf({ properties = {}, required = [], additionalProperties }) {
    const fields = Object.entries(properties).map(([name, own]) => `${name}${required.includes(name) ? "" : "?"}: ${typeOf(own)}`);
    if (typeof additionalProperties === "object") fields.push(`[name: string]: ${typeOf(additionalProperties)}`);
    return fields.length ? `{ ${fields.join("; ")} }` : "Record<string, never>";
}

/** Breaks the fields of a type into lines of at most 130 columns. */
function wrapped(line) {
    const rows = [""];
    for (const part of line.split(/(?<=;) | (?=\|)/)) {
        const last = rows[rows.length - 1];
        if (last && last.length + part.length > 128) rows.push(`    ${part}`);
        else rows[rows.length - 1] = last ? `${last} ${part}` : part;
    }
    return rows.join("\n");
}

const types = Object.entries(schemas).map(([name, schema]) => wrapped(`export type ${name} = ${typeOf(schema)};`));
writeFileSync(at("src/wire.ts"), `// The JSON of the server. wire.mjs writes this file from docs/openapi.json.\n\n${types.join("\n")}\n`);
