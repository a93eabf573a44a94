// The program's own source as data, for the rules of test/architecture.test.ts.
import { globSync, readFileSync } from 'node:fs';
import { stripTypeScriptTypes } from 'node:module';
import { join, sep } from 'node:path';
import { type Node, parse } from 'acorn';

/** One source file: its path from the repository's root with forward slashes, and its content. */
export type SourceFile = { file: string; text: string };

/** A rule looks at any tree, real or planted, and names each breach as `file:line reason`. */
export type Rule = (tree: readonly SourceFile[]) => string[];

/** What one file imports: the text between the quotes (null when it is computed) and the line it stands on. */
export type ImportEdge = { specifier: string | null; line: number; typeOnly: boolean; reExportsAll: boolean };

/** A syntax node whose fields are read by name; its type says which fields it has. */
export type SyntaxNode = Node & Record<string, unknown>;

const root = join(import.meta.dirname, '../..');

/** Reads every TypeScript file of the program and its tests. */
export function readSourceTree(): SourceFile[] {
  return globSync(['src/**/*.ts', 'bin/**/*.ts', 'migrations/**/*.ts', 'test/**/*.ts'], { cwd: root })
    .map((file) => file.split(sep).join('/'))
    .sort()
    .map((file) => ({ file, text: readFileSync(join(root, file), 'utf8') }));
}

/** What every rule asks of a file, so that twenty of them strip, parse and walk it once. */
type Parsed = { script: string; nodes: SyntaxNode[]; imports?: ImportEdge[] };
const parsed = new Map<string, Parsed>();

function parsedOf({ text }: SourceFile): Parsed {
  const known = parsed.get(text);
  if (known !== undefined) return known;
  const script = stripTypeScriptTypes(keepTypeImports(text), { mode: 'strip' });
  const tree = parse(script, {
    ecmaVersion: 'latest',
    sourceType: 'module',
    locations: true,
    allowHashBang: true,
  }) as unknown as SyntaxNode;
  const made: Parsed = { script, nodes: [] };
  walk(tree, (node) => made.nodes.push(node));
  parsed.set(text, made);
  return made;
}

/**
 * Parses a file with all positions as in its text; type imports are kept, because they are imports too.
 * @throws SyntaxError for what Node itself cannot run: enums, namespaces, parameter properties, decorators
 */
export function syntaxOf(file: SourceFile): SyntaxNode {
  return parsedOf(file).nodes[0] as SyntaxNode;
}

/** Calls `visit` for a node and everything below it, outer first. */
function walk(node: SyntaxNode, visit: (node: SyntaxNode) => void): void {
  visit(node);
  for (const value of Object.values(node)) {
    const children = Array.isArray(value) ? value : [value];
    for (const child of children) if (isNode(child)) walk(child, visit);
  }
}

/** All nodes of the given types in a file, outer first. */
export function nodesOf(file: SourceFile, ...types: string[]): SyntaxNode[] {
  return parsedOf(file).nodes.filter((node) => types.includes(node.type));
}

/** A field that holds a node. */
export function child(node: SyntaxNode, field: string): SyntaxNode | undefined {
  const value = node[field];
  return isNode(value) ? value : undefined;
}

/** A field that holds a list of nodes. */
export function childList(node: SyntaxNode, field: string): SyntaxNode[] {
  const value = node[field];
  return Array.isArray(value) ? value.filter(isNode) : [];
}

/** The name of an identifier, or the text of a literal string; undefined for anything else. */
export function nameOf(node: SyntaxNode | undefined): string | undefined {
  if (node === undefined) return undefined;
  const name = node.type === 'Literal' ? node.value : node.name;
  return typeof name === 'string' ? name : undefined;
}

/** Where a node begins, counted from 1. */
export function lineOf(node: SyntaxNode): number {
  return node.loc?.start.line ?? 0;
}

const importing = ['ImportDeclaration', 'ExportNamedDeclaration', 'ExportAllDeclaration', 'ImportExpression'];

/** Every way to name another module: import, export from, import() as a value and import() as a type. */
export function importsOf(file: SourceFile): ImportEdge[] {
  const known = parsedOf(file);
  known.imports ??= [...writtenImportsOf(file), ...typeImportsOf(file)];
  return known.imports;
}

function writtenImportsOf(file: SourceFile): ImportEdge[] {
  return nodesOf(file, ...importing).flatMap((node): ImportEdge[] => {
    const source = child(node, 'source');
    if (source === undefined) return [];
    const head = file.text.slice(node.start, source.start);
    return [
      {
        specifier: source.type === 'Literal' ? (nameOf(source) ?? null) : null,
        line: lineOf(node),
        typeOnly: /^(import|export)\s+type\b/.test(head),
        reExportsAll: node.type === 'ExportAllDeclaration' && node.exported === null,
      },
    ];
  });
}

/** `import('…').Name` in a type is erased before parsing: these are the matches that the parser did not see. */
function typeImportsOf(file: SourceFile): ImportEdge[] {
  const seen = new Set(nodesOf(file, 'ImportExpression').map((node) => node.start));
  const { script } = parsedOf(file);
  return [...file.text.matchAll(/\bimport\(\s*['"]([^'"]+)['"]\s*\)/g)]
    .filter((match) => !seen.has(match.index) && !script.startsWith('import', match.index))
    .map((match) => ({
      specifier: match[1] ?? null,
      line: file.text.slice(0, match.index).split('\n').length,
      typeOnly: true,
      reExportsAll: false,
    }));
}

/** Blanks the word `type` out of `import type … from` and `export type … from`, so that they are not erased. */
function keepTypeImports(text: string): string {
  const statement = /^(\s*(?:import|export)\s+)type(?=\s+(?:[\w$]+\s+from\b|\{[^}]*\}\s*from\b|\*))/gm;
  return text.replace(statement, (_match, head: string) => `${head}    `);
}

function isNode(value: unknown): value is SyntaxNode {
  return (
    typeof value === 'object' && value !== null && typeof (value as { type?: unknown }).type === 'string'
  );
}
