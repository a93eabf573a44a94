// Which capability owns each table, and who writes where (architecture.md section 2, rule 3).
import { dirname } from 'node:path';
import { mayTouchTheDatabase } from './source-rules.ts';
import {
  child,
  childList,
  lineOf,
  nameOf,
  nodesOf,
  type Rule,
  readSourceTree,
  type SourceFile,
  type SyntaxNode,
} from './source-tree.ts';

/** Owners of tables that have no record: the folder that alone inserts into them, updates and deletes. */
const withoutRecord: Readonly<Record<string, string>> = {
  counters: 'src/kernel/db',
  events: 'src/kernel/outbox',
  outbox: 'src/kernel/outbox',
  // Its rows are those of the library that counts.
  rate_limits: 'src/kernel/http',
  scheduled_jobs: 'src/kernel/jobs',
  schema_migrations: 'src/kernel/db',
  tasks: 'src/kernel/jobs',

  admin_user_roles: 'src/platform/roles',
  admin_user_scopes: 'src/platform/roles',
  role_permissions: 'src/platform/roles',
  audit_head: 'src/platform/audit',
  settings: 'src/platform/settings',

  license_idempotency: 'src/licensing/licenses/licenses',
  license_trial_uses: 'src/licensing/licenses/activations',
  license_usage: 'src/licensing/licenses/usage',

  license_bundles: 'src/licensing/releases/bundles',
  license_release_stats: 'src/licensing/releases/updates',

  license_abuse_flags: 'src/licensing/insight/abuse',
  license_abuse_rules: 'src/licensing/insight/abuse',
  license_stats: 'src/licensing/insight/statistics',
};

/** A table with a record belongs to the folder of its record.ts. */
const owners: Readonly<Record<string, string>> = {
  ...withoutRecord,
  ...Object.fromEntries(declaredRecords(readSourceTree()).map(({ table, file }) => [table, dirname(file)])),
};

/**
 * Tables of a connection's own: the probe of a free disk, the mark of the server that holds a SQLite file and the figures
 * that SQLite plans by are no tables of the installation.
 */
const ofTheConnection = ['appctl_probe', 'server', 'sqlite_stat1', 'sqlite_stat4'];

/** Write rows of whatever table the record or index that they are handed describes; that counts as its owner's writing. */
const byRecord = [
  'src/kernel/db/copy/writing.ts',
  'src/kernel/db/full-text.ts',
  'src/kernel/db/person-rows.ts',
  'src/kernel/db/record-rows.ts',
  'src/licensing/moving/portability/repository.ts',
  'src/storefront/tools/reports/repository.ts',
];

/** A table whose name is no text and no record of a capability. */
const COMPUTED = '?';

/** Methods of a query builder that write. */
const writes = ['insert', 'update', 'delete', 'del', 'increment', 'decrement', 'upsert', 'truncate'];

/** Functions that begin a query: `q('licenses')` of a statement, `knex('licenses')` of a handle. */
const builders = ['q', 'knex', 'trx', 'db'];
/** Methods that name the table after the fact. */
const targets = ['into', 'from'];
/** Functions that write rows of the record that they are handed. */
const recordWrites = ['insertInto', 'insertColumns'];

/** A table is written by the capability that owns it; others call a verb of it in the same transaction. */
export const tablesHaveOneWriter: Rule = (tree) => {
  const records = recordsOf(tree);
  return tree
    .filter(({ file }) => file.startsWith('src/'))
    .flatMap((file) =>
      writesOf(file, records).flatMap(({ line, table }) => {
        const owner = owners[table];
        if (owner !== undefined && file.file.startsWith(`${owner}/`)) return [];
        if (ofTheConnection.includes(table) || (table === COMPUTED && byRecord.includes(file.file)))
          return [];
        const told =
          owner === undefined ? 'has no owner in test/support/table-rules.ts' : `belongs to ${owner}`;
        return [`${file.file}:${line} writes ${table}, which ${told}`];
      }),
    );
};

/** Tables of a database that have no owner here, and those here that the database has not. */
export const ownershipFaults = (tables: readonly string[]): string[] => [
  ...tables.filter((table) => owners[table] === undefined).map((table) => `${table} has no owner`),
  ...Object.keys(owners)
    .filter((table) => !tables.includes(table))
    .map((table) => `${table} is not a table`),
];

/** Tables by the name of the record that describes them: `record('licenses', …)` is a constant of its capability. */
type Records = ReadonlyMap<string, string>;

const recordsOf = (tree: readonly SourceFile[]): Records =>
  new Map(declaredRecords(tree).map(({ name, table }) => [name, table]));

/** Each `export const someRecord = record('some_table', …)`. */
function declaredRecords(tree: readonly SourceFile[]): { name: string; table: string; file: string }[] {
  return tree
    .filter(({ file }) => file.endsWith('record.ts'))
    .flatMap((file) =>
      nodesOf(file, 'VariableDeclarator').flatMap((node) => {
        const made = child(node, 'init');
        const name = nameOf(child(node, 'id'));
        const table = made && nameOf(childList(made, 'arguments')[0]);
        const isRecord = made && nameOf(child(made, 'callee')) === 'record';
        return isRecord && name !== undefined && table !== undefined
          ? [{ name, table, file: file.file }]
          : [];
      }),
    );
}

type Write = { line: number; table: string };

const writesOf = (file: SourceFile, records: Records): Write[] => [
  ...(mayTouchTheDatabase(file.file) ? builtWritesOf(file, records) : []),
  ...rawWritesOf(file),
];

/** `q('licenses').update(…)`, `insertInto(licenseRecord)`. */
function builtWritesOf(file: SourceFile, records: Records): Write[] {
  return nodesOf(file, 'CallExpression').flatMap((node) => {
    const callee = child(node, 'callee');
    const isMethod = callee?.type === 'MemberExpression';
    const called = nameOf(isMethod ? child(callee, 'property') : callee) ?? '';
    const line = callee?.loc?.end.line ?? 0;
    if (!isMethod) {
      const written = recordWrites.includes(called) ? childList(node, 'arguments')[0] : undefined;
      return written === undefined ? [] : [{ line, table: records.get(nameOf(written) ?? '') ?? COMPUTED }];
    }
    if (!writes.includes(called) && called !== 'into') return [];
    // `insert(rows).into('licenses')` names its table last.
    const query = called === 'into' ? node : child(callee, 'object');
    return [...new Query(file, records).tables(query)].map((table) => ({ line, table }));
  });
}

/**
 * The tables that a chain of calls may begin with; none for what is no query. Names and functions of the same file are
 * followed; a table that is computed is nobody's.
 */
class Query {
  readonly #file: SourceFile;
  readonly #records: Records;
  readonly #seen = new Set<SyntaxNode>();

  constructor(file: SourceFile, records: Records) {
    this.#file = file;
    this.#records = records;
  }

  tables(...nodes: (SyntaxNode | undefined)[]): Set<string> {
    return new Set(nodes.flatMap((node) => [...this.#tablesOf(node)]));
  }

  #tablesOf(node: SyntaxNode | undefined): Set<string> {
    if (node === undefined || this.#seen.has(node)) return new Set();
    this.#seen.add(node);
    switch (node.type) {
      case 'CallExpression':
        return this.#tablesOfCall(node);
      case 'MemberExpression':
        return this.tables(child(node, 'object'));
      case 'AwaitExpression':
        return this.tables(child(node, 'argument'));
      case 'ConditionalExpression':
        return this.tables(child(node, 'consequent'), child(node, 'alternate'));
      case 'Identifier':
        return this.tables(...valuesOf(this.#file, nameOf(node)));
      default:
        return new Set();
    }
  }

  #tablesOfCall(node: SyntaxNode): Set<string> {
    const callee = child(node, 'callee');
    const isMethod = callee?.type === 'MemberExpression';
    const called = nameOf(isMethod ? child(callee, 'property') : callee) ?? '';
    const args = childList(node, 'arguments');
    if (builders.includes(called) || (isMethod && targets.includes(called)))
      return new Set(args.slice(0, 1).map((table) => this.#nameOf(table)));
    if (isMethod) return this.tables(child(callee, 'object'));
    // `stillLive(q('license_activations'), now)`: what the function begins itself, else what it was handed.
    const own = this.tables(...valuesOf(this.#file, called).flatMap(returned));
    return own.size > 0 ? own : this.tables(...args);
  }

  /** The table that an argument names, without its alias or its columns. */
  #nameOf(node: SyntaxNode): string {
    if (node.type === 'MemberExpression' && nameOf(child(node, 'property')) === 'table')
      return this.#records.get(nameOf(child(node, 'object')) ?? '') ?? COMPUTED;
    const isRaw = node.type === 'CallExpression' && childList(node, 'arguments').length === 1;
    if (isRaw) return this.#nameOf(childList(node, 'arguments')[0] as SyntaxNode);
    if (node.type === 'Identifier') {
      const value = valuesOf(this.#file, nameOf(node))[0];
      return value === undefined ? COMPUTED : this.#nameOf(value);
    }
    return (node.type === 'Literal' ? nameOf(node) : undefined)?.split(/[\s(]/)[0] ?? COMPUTED;
  }
}

/** What a function of arrow, expression or declaration may return. */
function returned(value: SyntaxNode): SyntaxNode[] {
  const body = child(value, 'body');
  if (body === undefined) return [];
  if (body.type !== 'BlockStatement') return [body];
  return childList(body, 'body').flatMap((line) => {
    const argument = line.type === 'ReturnStatement' ? child(line, 'argument') : undefined;
    return argument === undefined ? [] : [argument];
  });
}

/** What a name of this file stands for: the values of its constants, and its functions. */
function valuesOf(file: SourceFile, name: string | undefined): SyntaxNode[] {
  if (name === undefined) return [];
  return nodesOf(file, 'VariableDeclarator', 'FunctionDeclaration').flatMap((node) => {
    if (nameOf(child(node, 'id')) !== name) return [];
    const value = node.type === 'FunctionDeclaration' ? node : child(node, 'init');
    return value === undefined ? [] : [value];
  });
}

const rawWrite =
  /\b(?:INSERT\s+(?:OR\s+\w+\s+)?INTO|UPDATE(?:\s+ONLY)?|DELETE\s+FROM|TRUNCATE(?:\s+TABLE)?)\s+"?([a-z][a-z0-9_]*)/g;

/** In text; a comment is none. `FOR UPDATE OF` and `ON CONFLICT … DO UPDATE SET` name no table in lower case. */
function rawWritesOf(file: SourceFile): Write[] {
  return nodesOf(file, 'Literal', 'TemplateElement').flatMap((node) => {
    const value = node.type === 'Literal' ? node.value : (node.value as { raw?: unknown }).raw;
    if (typeof value !== 'string') return [];
    return [...value.matchAll(rawWrite)].map((match) => ({
      line: lineOf(node),
      table: match[1] ?? COMPUTED,
    }));
  });
}
