// One field of CSV (RFC 4180). A text that a spreadsheet would take for a formula has an apostrophe before it, and so has one that
// begins with such apostrophes itself: our readers remove one, and every text is read back as it was. Ids and numbers never have it:
// other programs join tables by them.

const IDS = new Set(['scenario', 'run', 'game', 'market', 'strategy', 'order', 'tx', 'ref', 'key', 'replaces']);
/** By the name of its column. */
export const isId = (column: string): boolean => IDS.has(column) || /(?:^|_)(?:id|ref)$/.test(column);

const FORMULA = /^'*[=+\-@\t\r]/;
const GUARDED = /^'+[=+\-@\t\r]/;

/** A text that is no id, as it stands in a file. */
export const textField = (text: string): string => plainField(FORMULA.test(text) ? `'${text}` : text);

/** An id, a number or a name of a column: only quoted, where it must be. */
export const plainField = (text: string): string => (/[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text);

/** What `textField` was given; `field` is without its quotes. */
export const textOfField = (field: string): string => (GUARDED.test(field) ? field.slice(1) : field);
