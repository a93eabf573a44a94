// What may stand inside a file, and how large and how named it may be (architecture.md sections 2 and 10).
import {
  child,
  childList,
  lineOf,
  nameOf,
  nodesOf,
  type Rule,
  type SourceFile,
  type SyntaxNode,
  syntaxOf,
} from './source-tree.ts';

const maxFileLines = 300;
/** A test file stays with its subject (architecture.md section 11). */
const maxTestFileLines = 600;
const maxFunctionLines = 50;

/** The client SDK has no kernel: its clock is here, for applications that bring none. */
const clientClock = 'src/client/clock.ts';

/** Time, chance and the environment enter through the kernel. */
export const ambientValuesEnterThroughTheKernel: Rule = (tree) =>
  tree
    .filter(({ file }) => file.startsWith('src/') && !file.startsWith('src/kernel/'))
    .flatMap((file) =>
      nodesOf(
        file,
        'MemberExpression',
        'NewExpression',
        'CallExpression',
        'Identifier',
        'VariableDeclarator',
      ).flatMap((node) => {
        const use = ambientUse(node);
        return report(file, node, file.file === clientClock && use === 'Date.now' ? undefined : use);
      }),
    );

function ambientUse(node: SyntaxNode): string | undefined {
  if (node.type === 'Identifier') return nameOf(node) === 'randomUUID' ? 'randomUUID' : undefined;
  if (node.type === 'MemberExpression') return ambientMember(node);
  if (node.type === 'VariableDeclarator') {
    const takesEnv =
      nameOf(child(node, 'init')) === 'process' && /\benv\b/.test(patternNames(child(node, 'id')));
    return takesEnv ? 'process.env' : undefined;
  }
  const isDate = nameOf(child(node, 'callee')) === 'Date';
  const isNow = node.type === 'CallExpression' || childList(node, 'arguments').length === 0;
  return isDate && isNow ? 'new Date()' : undefined;
}

/** `Date.now`, `globalThis.Date.now`, `process['env']`: the last two names decide. */
function ambientMember(node: SyntaxNode): string | undefined {
  const object = child(node, 'object');
  const owner = object?.type === 'MemberExpression' ? nameOf(child(object, 'property')) : nameOf(object);
  const use = `${owner}.${nameOf(child(node, 'property'))}`;
  return ['Date.now', 'Math.random', 'process.env', 'performance.now'].includes(use) ? use : undefined;
}

function patternNames(pattern: SyntaxNode | undefined): string {
  if (pattern?.type !== 'ObjectPattern') return '';
  return childList(pattern, 'properties')
    .map((property) => nameOf(child(property, 'key')))
    .join(' ');
}

/** Only repositories, read models and kernel/db speak to the database. */
export const onlyRepositoriesSpeakSql: Rule = (tree) =>
  tree
    .filter(({ file }) => file.startsWith('src/') && !mayTouchTheDatabase(file))
    .flatMap((file) =>
      nodesOf(file, 'MemberExpression', 'CallExpression', 'ObjectPattern', 'ImportSpecifier').flatMap(
        (node) => report(file, node, databaseUse(node)),
      ),
    );

/** Repositories, read models and the database's own folder. */
export function mayTouchTheDatabase(file: string): boolean {
  return file.startsWith('src/kernel/db/') || /\/(repository|queries)\.ts$/.test(file);
}

const builders = ['db', 'knex', 'trx'];

function databaseUse(node: SyntaxNode): string | undefined {
  switch (node.type) {
    case 'MemberExpression': {
      const isHandle = /ctx$/i.test(nameOf(child(node, 'object')) ?? '');
      return isHandle && nameOf(child(node, 'property')) === 'db' ? 'ctx.db' : undefined;
    }
    case 'CallExpression': {
      const called = nameOf(child(node, 'callee'));
      if (called !== undefined && builders.includes(called)) return `${called}(…)`;
      return rawCall(node) === undefined ? undefined : '.raw(…)';
    }
    case 'ObjectPattern':
      return /\bdb\b/.test(patternNames(node)) ? '{ db }' : undefined;
    default:
      // Whoever declares statements writes SQL, although a repository may run them.
      return nameOf(child(node, 'imported')) === 'statement' ? 'statement(…)' : undefined;
  }
}

/** Text never becomes part of a raw query: values are bound. A migration is exempt, for it is given no input. */
export const rawSqlIsConstant: Rule = (tree) =>
  tree
    .filter(({ file }) => file.startsWith('src/'))
    .flatMap((file) =>
      nodesOf(file, 'CallExpression').flatMap((node) => {
        const sql = rawCall(node);
        return report(
          file,
          node,
          sql !== undefined && isBuilt(sql) ? 'SQL is put together from text' : undefined,
        );
      }),
    );

const rawClauses = /^((or|and)?where|orderBy|groupBy|(or)?having|join|from|with)Raw$/i;

/** The SQL of `x.raw(sql)`, `x.whereRaw(sql)`, `x.orderByRaw(sql)` and their like; undefined for other calls. */
function rawCall(node: SyntaxNode): SyntaxNode | undefined {
  const callee = child(node, 'callee');
  const method = nameOf(callee?.type === 'MemberExpression' ? child(callee, 'property') : callee) ?? '';
  const sql = childList(node, 'arguments')[0];
  if (sql === undefined || rawClauses.test(method)) return sql;
  // Others have a method of that name too, but no text with a blank in it to give to it.
  const isText = ['TemplateLiteral', 'BinaryExpression'].includes(sql.type) || /\s/.test(nameOf(sql) ?? '');
  return method === 'raw' && isText ? sql : undefined;
}

function isBuilt(sql: SyntaxNode): boolean {
  if (sql.type === 'TemplateLiteral') return childList(sql, 'expressions').length > 0;
  if (sql.type !== 'BinaryExpression') return false;
  return [child(sql, 'left'), child(sql, 'right')].some(
    (side) =>
      side !== undefined &&
      (side.type === 'Literal' ? false : side.type !== 'BinaryExpression' || isBuilt(side)),
  );
}

/** Node runs the source as it is, so there are no enums, namespaces, parameter properties or decorators. */
export const sourceRunsAsItIs: Rule = (tree) =>
  tree.flatMap((file) => {
    try {
      syntaxOf(file);
      return [];
    } catch (error) {
      return [`${file.file}:1 ${(error as Error).message.trim().split('\n')[0]}`];
    }
  });

/** Exports have names; only a tool's configuration and a package's declarations may need a default. */
export const exportsHaveNames: Rule = (tree) =>
  tree
    .filter(({ file }) => !file.endsWith('/vitest.config.ts') && !file.endsWith('.d.ts'))
    .flatMap((file) =>
      nodesOf(file, 'ExportDefaultDeclaration', 'ExportSpecifier').flatMap((node) => {
        const isDefault =
          node.type === 'ExportDefaultDeclaration' || nameOf(child(node, 'exported')) === 'default';
        return report(file, node, isDefault ? 'default export' : undefined);
      }),
    );

/** A file holds one thing. */
export const filesStaySmall: Rule = (tree) =>
  tree.flatMap(({ file, text }) => {
    const lines = text.trimEnd().split('\n').length;
    const most = /^test\/.*\.test\.ts$/.test(file) ? maxTestFileLines : maxFileLines;
    return lines > most ? [`${file}:${most} has ${lines} lines`] : [];
  });

/** A function does one thing; one inside of another counts for both. */
export const functionsStaySmall: Rule = (tree) =>
  tree
    .filter(({ file }) => /^(src|migrations|bin)\//.test(file))
    .flatMap((file) =>
      nodesOf(file, 'FunctionDeclaration', 'FunctionExpression', 'ArrowFunctionExpression').flatMap(
        (node) => {
          const lines = (node.loc?.end.line ?? 0) - lineOf(node) + 1;
          return report(file, node, lines > maxFunctionLines ? `function of ${lines} lines` : undefined);
        },
      ),
    );

/** The design's tree names this one file; everything else is named after what it holds. */
const namedByDesign = ['src/kernel/views/helpers.ts'];

/** Files and folders are kebab-case and say what they hold; the endpoints of one capability may be split by audience. */
export const namesSayWhatFilesHold: Rule = (tree) =>
  tree
    .filter(({ file }) => !namedByDesign.includes(file))
    .flatMap(({ file }) => {
      const plain = file.replace(/\/endpoints\.(shop|store)\.ts$/, '/endpoints.ts');
      const parts = plain.replace(/(\.(db|test|config|d))*\.ts$/, '').split('/');
      const wrong = parts.filter((part) => !/^[a-z0-9]+(-[a-z0-9]+)*$/.test(part));
      const vague = parts.filter((part) => /(^|-)(utils?|helpers?|managers?|common|misc)$/.test(part));
      const unnumbered = parts[0] === 'migrations' && parts[1] !== 'index' && !/^\d{4}-/.test(parts[1] ?? '');
      return [
        ...wrong.map((part) => `${file}:1 ${part} is not kebab-case`),
        ...vague.map((part) => `${file}:1 ${part} does not say what it holds`),
        ...(unnumbered ? [`${file}:1 a migration begins with four digits`] : []),
      ];
    });

const hooks = ['beforeAll', 'beforeEach', 'afterAll', 'afterEach'];

/** One process loads a helper of tests once for many files (vitest.config.ts): what it registers then is the first one's. */
export const helpersRegisterHooksWhenCalled: Rule = (tree) =>
  tree
    .filter(({ file }) => file.startsWith('test/') && !file.endsWith('.test.ts'))
    .flatMap((file) =>
      childList(syntaxOf(file), 'body').flatMap((line) => {
        const call = line.type === 'ExpressionStatement' ? child(line, 'expression') : undefined;
        const called = call?.type === 'CallExpression' ? nameOf(child(call, 'callee')) : undefined;
        return report(file, line, hooks.includes(called ?? '') ? `${called} outside a function` : undefined);
      }),
    );

function report(file: SourceFile, node: SyntaxNode, reason: string | undefined): string[] {
  return reason === undefined ? [] : [`${file.file}:${lineOf(node)} ${reason}`];
}
