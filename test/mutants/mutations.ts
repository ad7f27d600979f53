// Small mutations of a source file, like typing errors. Types, imports and template strings have none.
import ts from 'typescript';

export type Mutation = {
  /** The line number, counted from 1. */
  readonly line: number;
  /** The replaced text, from `from` up to and without `to`, and its replacement. */
  readonly from: number;
  readonly to: number;
  readonly by: string;
  readonly says: string;
};

const SWAPPED: Readonly<Record<string, string>> = {
  '<': '<=',
  '<=': '<',
  '>': '>=',
  '>=': '>',
  '===': '!==',
  '!==': '===',
  '+': '-',
  '-': '+',
  '*': '/',
  '/': '*',
  '+=': '-=',
  '-=': '+=',
  '&&': '||',
  '||': '&&',
  true: 'false',
  false: 'true',
  max: 'min',
  min: 'max',
  some: 'every',
  every: 'some',
};
/**
 * A smaller number counts things, and its mutation adds one; any other measures time or size, and is doubled.
 */
const COUNTS_BELOW = 10;

export function mutationsOf(text: string): Mutation[] {
  const file = ts.createSourceFile('mutated.ts', text, ts.ScriptTarget.Latest, true);
  const mutations: Mutation[] = [];

  const lineOf = (node: ts.Node): number => file.getLineAndCharacterOfPosition(node.getStart(file)).line + 1;
  const add = (node: ts.Node, by: string, says: string): void => {
    mutations.push({ line: lineOf(node), from: node.getStart(file), to: node.getEnd(), by, says });
  };
  const swap = (node: ts.Node): void => {
    const was = node.getText(file);
    const by = SWAPPED[was];
    if (by !== undefined) add(node, by, `${was} → ${by}`);
  };
  const drop = (node: ts.Node): void => add(node, ';', `without ${firstLineOf(node.getText(file))}`);
  const negate = (node: ts.Expression): void => add(node, `!(${node.getText(file)})`, 'condition negated');

  const visit = (node: ts.Node): void => {
    if (hasNoCode(node)) return;
    if (ts.isIfStatement(node) || ts.isWhileStatement(node)) negate(node.expression);
    if (ts.isConditionalExpression(node)) negate(node.condition);
    if (ts.isBinaryExpression(node)) swap(node.operatorToken);
    if (ts.isPrefixUnaryExpression(node) && node.operator === ts.SyntaxKind.ExclamationToken)
      add(node, node.operand.getText(file), 'without !');
    if (node.kind === ts.SyntaxKind.TrueKeyword || node.kind === ts.SyntaxKind.FalseKeyword) swap(node);
    if (ts.isPropertyAccessExpression(node)) swap(node.name);
    if (ts.isNumericLiteral(node)) {
      const was = Number(node.text.replaceAll('_', ''));
      const by = String(was < COUNTS_BELOW ? was + 1 : was * 2);
      add(node, by, `${node.getText(file)} → ${by}`);
    }
    if (ts.isExpressionStatement(node) && (ts.isCallExpression(node.expression) || isAssignment(node.expression)))
      drop(node);
    if (ts.isContinueStatement(node)) drop(node);
    if (ts.isReturnStatement(node))
      if (node.expression === undefined) drop(node);
      else add(node, 'return undefined;', 'returns nothing');
    if (ts.isMethodDeclaration(node) && node.body !== undefined && node.type?.getText(file) === 'void') {
      const from = node.body.getStart(file);
      mutations.push({ line: lineOf(node), from, to: from + 1, by: '{ return;', says: 'does nothing' });
    }
    ts.forEachChild(node, visit);
  };
  visit(file);
  return mutations;
}

const hasNoCode = (node: ts.Node): boolean =>
  ts.isTypeNode(node) ||
  ts.isImportDeclaration(node) ||
  ts.isExportDeclaration(node) ||
  ts.isInterfaceDeclaration(node) ||
  ts.isTypeAliasDeclaration(node) ||
  ts.isTemplateExpression(node);

const isAssignment = (node: ts.Expression): boolean =>
  ts.isBinaryExpression(node) && node.operatorToken.getText().endsWith('=');

const firstLineOf = (text: string): string => text.split('\n', 1)[0] ?? '';
