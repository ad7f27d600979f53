// Encodes and decodes one CSV field (RFC 4180). A text that a spreadsheet would run as a formula gets a
// leading apostrophe, and so does a text that already has one: the CSV reader removes exactly one, so every
// text survives the round trip. Ids and numbers never get an apostrophe, since other programs join tables by
// them.

const IDS = new Set(['scenario', 'run', 'game', 'market', 'strategy', 'order', 'tx', 'ref', 'key', 'replaces']);
/** True when a column of this name holds ids. */
export const isId = (column: string): boolean => IDS.has(column) || /(?:^|_)(?:id|ref)$/.test(column);

const FORMULA = /^'*[=+\-@\t\r]/;
const GUARDED = /^'+[=+\-@\t\r]/;

/** Encodes a text that is not an id. */
export const textField = (text: string): string => plainField(FORMULA.test(text) ? `'${text}` : text);

/** Encodes an id, a number or a column name: quoted only where CSV requires it. */
export const plainField = (text: string): string => (/[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text);

/** Decodes what `textField` wrote. @param field without its quotes */
export const textOfField = (field: string): string => (GUARDED.test(field) ? field.slice(1) : field);
