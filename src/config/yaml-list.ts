// Reads a list of the command line as the YAML file would.
import { isNode, isSeq, parseDocument } from 'yaml';
import { messageOf, OddsmakerError } from '../domain/index.ts';

/**
 * Parses a text as the inside of a YAML list. Returns each item with its text.
 * @throws OddsmakerError CONFIG_INVALID
 */
export function listOf(text: string): readonly { readonly text: string; readonly value: unknown }[] {
  const list = `[${text}\n]`;
  const document = parseDocument(list, { prettyErrors: false });
  const refused = (why: string): OddsmakerError =>
    new OddsmakerError('CONFIG_INVALID', `"${text}" is not a list: ${why}`);
  const [problem] = document.errors;
  if (problem !== undefined) throw refused(problem.message);
  if (!isSeq(document.contents)) throw refused('it ends before its last value');
  try {
    return document.contents.items.map((item) => {
      const [from, to] = (isNode(item) ? item.range : undefined) ?? [1, 1 + text.length];
      return {
        text: list.slice(from, to).trim(),
        value: isNode(item) ? (item.toJS(document) as unknown) : null,
      };
    });
  } catch (error) {
    throw refused(messageOf(error));
  }
}
