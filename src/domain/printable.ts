// Text of others, as it may be shown on a terminal.

/** Without control characters and their like. */
export const printable = (text: string): string => text.replace(/\p{C}/gu, '\u{fffd}');
