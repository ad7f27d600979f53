// The documentation of events: the types of src/domain/event.ts and the files beside it with their
// docstrings, in the order of the union.
import ts from 'typescript';

type EventDoc = { readonly name: string; readonly doc: string; readonly fields: readonly string[] };

/** @throws Error when an event has no docstring */
export function eventsIn(source: string): readonly EventDoc[] {
  const file = ts.createSourceFile('event.ts', source, ts.ScriptTarget.Latest, true);
  const types = new Map<string, ts.TypeAliasDeclaration>();
  for (const statement of file.statements)
    if (ts.isTypeAliasDeclaration(statement)) types.set(statement.name.text, statement);
  const membersOf = (type: ts.TypeNode): readonly ts.PropertySignature[] => {
    if (ts.isIntersectionTypeNode(type)) return type.types.flatMap(membersOf);
    if (ts.isTypeLiteralNode(type)) return type.members.filter(ts.isPropertySignature);
    const named = ts.isTypeReferenceNode(type) ? types.get(type.typeName.getText()) : undefined;
    return named === undefined ? [] : membersOf(named.type);
  };
  const union = types.get('RunEvent')?.type;
  if (union === undefined || !ts.isUnionTypeNode(union)) throw new Error('event.ts has no union RunEvent');
  return union.types.map((type) => {
    const name = type.getText();
    const declared = types.get(name);
    const doc = declared === undefined ? '' : docOf(declared);
    if (declared === undefined || doc === '') throw new Error(`event ${name} has no docstring`);
    const fields = membersOf(declared.type).filter((member) => member.name.getText() !== 'type');
    return { name, doc, fields: fields.map(fieldOf) };
  });
}

function fieldOf(member: ts.PropertySignature): string {
  const doc = docOf(member).replace(/\.$/, '');
  return `\`${member.name.getText()}\`${doc === '' ? '' : ` (${doc})`}`;
}

const docOf = (node: ts.Node): string =>
  ts
    .getJSDocCommentsAndTags(node)
    .filter(ts.isJSDoc)
    .map(({ comment }) => (typeof comment === 'string' ? comment.replaceAll(/\s+/g, ' ') : ''))
    .join(' ')
    .trim();
