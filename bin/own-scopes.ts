// Makes the bundle cheap to start. esbuild leaves the functions and names of all modules in the one function of the program:
// V8 would read and make 27,000 of them at each start, whatever it runs (0005).
import {
  type Expression,
  type Function as FunctionNode,
  type ModuleDeclaration,
  type Node,
  parse,
  type Statement,
} from 'acorn';

type TopLevel = Statement | ModuleDeclaration;

/** A module as esbuild writes it: what it hoists, then `var init_x=__esm({"src/x.ts"(){...}})`. */
interface Module {
  readonly init: string;
  readonly hoisted: readonly TopLevel[];
  /** The statement that declares `init`. */
  readonly statement: TopLevel;
  /** The braces of its function, and where the directives after the first of them end. */
  readonly body: { readonly start: number; readonly directivesEnd: number };
  /** Names that it hoists. */
  readonly names: ReadonlySet<string>;
  /** All names that it mentions. */
  readonly mentions: ReadonlySet<string>;
}

/** What stands from `start` to `end` becomes `text`. */
interface Edit {
  readonly start: number;
  readonly end: number;
  readonly text: string;
}

/**
 * Moves functions and variables of each module into its function. What others use stays a variable of the program, which
 * is set before the module's own first line, as hoisting would. A module stays as it is when something names it that
 * does not run its function first.
 *
 * The functions of modules stand by themselves: in an object with the file for a key, as esbuild writes them for their
 * names in a stack, each of those objects is of another shape, of which V8 keeps a sorted list.
 *
 * @param text of a bundle that esbuild wrote with lazy modules (`import()` of an ES module), without shortened names:
 *   then no local variable is named like one of the program
 * @throws Error when esbuild calls the functions of modules in another way than this knows
 */
export function withOwnScopes(text: string): string {
  const { body } = parse(text, { ecmaVersion: 'latest', sourceType: 'script', allowHashBang: true });
  const { modules, others } = modulesOf(body);
  const users = usersOf(modules);
  const elsewhere = mentionsOf(others);
  const reached = reachedFrom(modules);
  const isMovable = (module: Module): boolean =>
    [...module.names].every(
      (name) =>
        !elsewhere.has(name) &&
        (users.get(name) ?? []).every((user) => user === module || reached(user).has(module)),
    );
  const edits = modules.filter(isMovable).flatMap((module) => {
    const isShared = (name: string): boolean => (users.get(name) ?? []).some((user) => user !== module);
    return scoped(text, module, isShared);
  });
  edits.push(...body.flatMap((statement) => namedOf(text, statement)));
  return callsOf(edited(text, edits));
}

function edited(text: string, edits: readonly Edit[]): string {
  let [written, done] = ['', 0];
  for (const { start, end, text: other } of edits.toSorted((one, two) => one.start - two.start)) {
    written += text.slice(done, start) + other;
    done = end;
  }
  return written + text.slice(done);
}

/** The two functions of esbuild that run a module, which look for the one function of an object. */
function callsOf(text: string): string {
  const call = /\(0,(\w+)\[__getOwnPropNames\(\1\)\[0\]\]\)/g;
  const found = text.match(call)?.length ?? 0;
  const wrappers = text.match(/var __(?:esm|commonJS)=/g)?.length ?? 0;
  if (found !== wrappers) throw new Error(`${wrappers} kinds of modules are called in ${found} known ways`);
  return text.replace(call, '$1');
}

/** The modules, and the statements that belong to none. */
function modulesOf(body: readonly TopLevel[]): { modules: Module[]; others: TopLevel[] } {
  const [modules, others]: [Module[], TopLevel[]] = [[], []];
  let hoisted: TopLevel[] = [];
  for (const statement of body) {
    const found = initOf(statement);
    if (found !== null) {
      modules.push(moduleOf(statement, found, hoisted));
      hoisted = [];
    } else if (isHoisted(statement)) {
      hoisted.push(statement);
    } else {
      others.push(...hoisted, statement);
      hoisted = [];
    }
  }
  return { modules, others: [...others, ...hoisted] };
}

const isCallOf = (node: Expression | null | undefined, name: string): boolean =>
  node?.type === 'CallExpression' && node.callee.type === 'Identifier' && node.callee.name === name;

/** What esbuild writes before the function of a module: functions, variables without a value, and its exports. */
function isHoisted(statement: TopLevel): boolean {
  if (statement.type === 'FunctionDeclaration') return true;
  if (statement.type === 'ExpressionStatement') return isCallOf(statement.expression, '__export');
  return (
    statement.type === 'VariableDeclaration' &&
    statement.declarations.every(
      ({ id, init }) => id.type === 'Identifier' && (init == null || isEmptyObject(init)),
    )
  );
}

const isEmptyObject = (node: Expression): boolean =>
  node.type === 'ObjectExpression' && node.properties.length === 0;

/** What declares the function of a module. */
interface Wrapped {
  readonly kind: '__esm' | '__commonJS';
  readonly name: string;
  readonly object: Node;
  readonly file: string;
  readonly run: FunctionNode & { readonly body: { readonly body: readonly Statement[] } };
}

function wrappedOf(statement: TopLevel): Wrapped | null {
  if (statement.type !== 'VariableDeclaration' || statement.declarations.length !== 1) return null;
  const [declared] = statement.declarations;
  const call = declared?.init;
  const kind = (['__esm', '__commonJS'] as const).find((one) => isCallOf(call, one));
  if (declared?.id.type !== 'Identifier' || call?.type !== 'CallExpression' || !kind) return null;
  const [object] = call.arguments;
  const [property] = object?.type === 'ObjectExpression' ? object.properties : [];
  if (object === undefined || property?.type !== 'Property' || property.key.type !== 'Literal') return null;
  const run = property.value;
  if (run.type !== 'FunctionExpression' || run.async) return null;
  return { kind, name: declared.id.name, object, file: String(property.key.value), run };
}

/** The name of a module's function, and its body; null for another statement. */
function initOf(statement: TopLevel): Pick<Module, 'init' | 'body'> | null {
  const wrapped = wrappedOf(statement);
  if (wrapped?.kind !== '__esm') return null;
  const { name, run } = wrapped;
  const directives = run.body.body.filter((one) => 'directive' in one && one.directive !== undefined);
  const start = run.body.start + 1;
  return { init: name, body: { start, directivesEnd: directives.at(-1)?.end ?? start } };
}

/** `{"src/kernel/x.ts"(){...}}` becomes `function _src$kernel$x_ts(){...}`. */
function namedOf(text: string, statement: TopLevel): Edit[] {
  const wrapped = wrappedOf(statement);
  if (wrapped === null) return [];
  const { object, file, run } = wrapped;
  // The braces of a method begin at its parameters.
  if (text[run.start] !== '(') throw new Error(`the function of ${file} has no parameters`);
  const name = `_${file}`.replaceAll('/', '$').replaceAll(/[^\w$]/g, '_');
  return [
    { start: object.start, end: run.start, text: `function ${name}` },
    { start: run.end, end: object.end, text: '' },
  ];
}

function moduleOf(
  statement: TopLevel,
  found: Pick<Module, 'init' | 'body'>,
  hoisted: readonly TopLevel[],
): Module {
  const names = new Set<string>();
  for (const one of hoisted) {
    if (one.type === 'FunctionDeclaration') names.add(one.id.name);
    if (one.type !== 'VariableDeclaration') continue;
    for (const { id } of one.declarations) if (id.type === 'Identifier') names.add(id.name);
  }
  return { ...found, hoisted, statement, names, mentions: mentionsOf([...hoisted, statement]) };
}

/** Every name that stands where a variable may. */
function mentionsOf(nodes: readonly Node[]): Set<string> {
  const found = new Set<string>();
  const visit = (node: Node & Record<string, unknown>): void => {
    if (node.type === 'Identifier') found.add(String(node.name));
    for (const key in node) {
      const value = node[key];
      if (typeof value !== 'object' || value === null) continue;
      const isWord = (key === 'property' || key === 'key') && node.computed === false;
      if (isWord) continue;
      if (isNode(value)) visit(value);
      else if (Array.isArray(value)) for (const one of value) if (isNode(one)) visit(one);
    }
  };
  for (const node of nodes) if (isNode(node)) visit(node);
  return found;
}

const isNode = (value: unknown): value is Node & Record<string, unknown> =>
  typeof value === 'object' && value !== null && 'type' in value;

/** By a name that a module hoists, the modules that mention it. */
function usersOf(modules: readonly Module[]): Map<string, Module[]> {
  const users = new Map(modules.flatMap(({ names }) => [...names].map((name) => [name, [] as Module[]])));
  for (const module of modules) for (const name of module.mentions) users.get(name)?.push(module);
  return users;
}

/** The modules whose functions have begun once that of a module has. */
function reachedFrom(modules: readonly Module[]): (module: Module) => ReadonlySet<Module> {
  const byInit = new Map(modules.map((module) => [module.init, module]));
  const known = new Map<Module, Set<Module>>();
  return (module) => {
    const reached = known.get(module) ?? new Set([module]);
    if (known.has(module)) return reached;
    known.set(module, reached);
    for (const one of reached)
      for (const name of one.mentions) {
        const next = byInit.get(name);
        if (next !== undefined) reached.add(next);
      }
    return reached;
  };
}

/** A module with its own scope, and before it the variables that others use. */
function scoped(
  text: string,
  { hoisted, statement, body }: Module,
  isShared: (name: string) => boolean,
): Edit[] {
  const own: string[] = [];
  const shared: string[] = [];
  let first = '';
  for (const one of hoisted) {
    if (one.type === 'VariableDeclaration') {
      for (const { id, start, end } of one.declarations)
        (id.type === 'Identifier' && isShared(id.name) ? shared : own).push(text.slice(start, end));
    } else if (one.type === 'FunctionDeclaration' && isShared(one.id.name)) {
      shared.push(one.id.name);
      // Assigned to a variable it is called like it; a second name would be another variable.
      const [before, after] = [
        text.slice(one.start, one.id.start).trimEnd(),
        text.slice(one.id.end, one.end),
      ];
      first += `${one.id.name}=${before}${after};`;
    } else first += text.slice(one.start, one.end);
  }
  const variables = (names: readonly string[]): string => (names.length > 0 ? `var ${names.join(',')};` : '');
  // A directive that is all of a function stands without a semicolon.
  const after = body.directivesEnd > body.start ? ';' : '';
  return [
    { start: hoisted[0]?.start ?? statement.start, end: statement.start, text: variables(shared) },
    { start: body.directivesEnd, end: body.directivesEnd, text: after + variables(own) + first },
  ];
}
