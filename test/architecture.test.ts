// The rules of the house, asserted on the source itself. Each also meets a planted breach and must report it.
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { openDatabase } from '#kernel/db/connect.ts';
import { listTables } from '#kernel/db/schema.ts';
import { importsRunInNoCircle } from './support/circle-rules.ts';
import { citationsResolve } from './support/citations.ts';
import * as importRules from './support/import-rules.ts';
import { applySchema } from './support/migrated-schema.ts';
import { scratchFolder } from './support/scratch-folder.ts';
import * as sourceRules from './support/source-rules.ts';
import { type Rule, readSourceTree } from './support/source-tree.ts';
import { ownershipFaults, tablesHaveOneWriter } from './support/table-rules.ts';

const source = readSourceTree();

/** A rule, what breaks it (file, text and a part of the report), and what comes close and is right. */
type Case = {
  rule: Rule;
  breaches: [file: string, text: string, report: RegExp][];
  fine: [file: string, text: string][];
};

const cases: Record<string, Case> = {
  'layers import only what lies beneath them': {
    rule: importRules.importsRunDownward,
    breaches: [
      ['src/kernel/a.ts', `import { b } from '../platform/b/index.ts';`, /kernel must not import platform/],
      [
        'src/kernel/a.ts',
        `import type { B } from '#licensing/index.ts';`,
        /kernel must not import licensing/,
      ],
      ['src/platform/a/index.ts', `export { b } from '#storefront/index.ts';`, /platform must not import/],
      [
        'src/platform/a/index.ts',
        `export type { B } from '#storefront/index.ts';`,
        /platform must not import/,
      ],
      ['src/licensing/a.ts', `const b = await import('#storefront/index.ts');`, /licensing must not import/],
      [
        'src/licensing/a.ts',
        `type B = import('#storefront/index.ts').B;`,
        /licensing must not import storefront/,
      ],
      ['src/storefront/a.ts', `import '#fulfilment/index.ts';`, /storefront must not import fulfilment/],
      ['src/fulfilment/a.ts', `import { run } from '../cli/index.ts';`, /fulfilment must not import cli/],
      ['src/app.ts', `import { run } from './cli/index.ts';`, /app must not import cli/],
      ['src/kernel/a.ts', `import { b } from '../../test/support/b.ts';`, /kernel must not import test/],
      [
        'src/kernel/a.ts',
        `import { b } from '../../migrations/index.ts';`,
        /kernel must not import migrations/,
      ],
      ['src/client/a.ts', `import { b } from '#kernel/b.ts';`, /client must not import kernel/],
      ['src/cli/a.ts', `import { b } from '../client/index.ts';`, /cli must not import client/],
      ['src/licensing/a/a.ts', `import type { B } from '../../client/types.ts';`, /must not import client/],
      [
        'src/platform/a.ts',
        `const b = await import('../client/index.ts');`,
        /platform must not import client/,
      ],
      ['bin/a.ts', `import { b } from '../src/client/index.ts';`, /bin must not import client/],
      ['src/other/a.ts', `import { b } from '#kernel/b.ts';`, /other must not import kernel/],
    ],
    fine: [
      ['src/fulfilment/a.ts', `import { b } from '#storefront/index.ts';`],
      ['src/cli/serve.ts', `const { start } = await import('../app.ts');`],
      ['test/a.test.ts', `import { b } from '#licensing/b/c.ts';`],
    ],
  },
  'a decision is made from facts alone': {
    rule: importRules.decisionsAreMadeFromFactsAlone,
    breaches: [
      [
        'src/licensing/licenses/decision/a.ts',
        `import type { Ctx } from '#kernel/context.ts';`,
        /a decision needs facts alone/,
      ],
      ['src/licensing/licenses/decision/a.ts', `import { find } from '../standing/index.ts';`, /facts alone/],
      ['src/licensing/licenses/decision/a.ts', `import { readFile } from 'node:fs';`, /facts alone/],
    ],
    fine: [
      ['src/licensing/licenses/decision/a.ts', `import { fail } from '#licensing/contract/errors.ts';`],
      ['src/licensing/licenses/decision/a.ts', `import { rules } from './rules.ts';`],
      ['src/licensing/licenses/standing/a.ts', `import type { Ctx } from '#kernel/context.ts';`],
    ],
  },
  'files import in no circle': {
    rule: importsRunInNoCircle,
    breaches: [
      [
        'src/kernel/a.ts',
        `import type { A } from './a.ts';`,
        /in a circle: src\/kernel\/a.ts > src\/kernel\/a.ts/,
      ],
    ],
    fine: [['src/kernel/a.ts', `import { b } from './b.ts'; import { c } from '#kernel/c.ts';`]],
  },
  'the client SDK stands alone': {
    rule: importRules.clientStandsAlone,
    breaches: [
      ['src/client/a.ts', `import { b } from '#kernel/b.ts';`, /only its own files/],
      ['src/client/a.ts', `import type { B } from '../licensing/index.ts';`, /only its own files/],
      ['src/client/a.ts', `import { createHash } from 'node:crypto';`, /only its own files/],
      ['src/client/a.ts', `import { verify } from '@noble/ed25519';`, /only its own files/],
      ['src/client/a.ts', `const { z } = await import('zod');`, /only its own files/],
      ['src/client/file-a.ts', `import { verify } from '@noble/ed25519';`, /only its own files/],
      ['src/client/a.ts', `import { b } from './file-b.ts';`, /only its own files/],
    ],
    fine: [
      ['src/client/file-a.ts', `import { open } from 'node:fs/promises'; import { b } from './b.ts';`],
      ['src/client/a.ts', `import { b } from './b.ts'; import type { C } from './c.ts';`],
      ['test/client/a.test.ts', `import { b } from '../../src/client/b.ts'; import 'node:crypto';`],
    ],
  },
  'signing needs no database': {
    rule: importRules.signingNeedsNoDatabase,
    breaches: [
      ['src/signing/keys/a.ts', `import type { Ctx } from '#kernel/context.ts';`, /no more of the kernel/],
      ['src/signing/a.ts', `import { statement } from '#kernel/db/statement.ts';`, /no more of the kernel/],
    ],
    fine: [
      ['src/signing/keys/a.ts', `import { verify } from '#kernel/ed25519.ts'; import { b } from '../b.ts';`],
      ['src/platform/a/a.ts', `import { b } from '#signing/b.ts'; import { ctx } from '#kernel/context.ts';`],
    ],
  },
  'a capability is entered through its index': {
    rule: importRules.capabilitiesAreEnteredThroughTheirIndex,
    breaches: [
      ['src/platform/a/a.ts', `import { b } from '../b/repository.ts';`, /entered through its index/],
      [
        'src/licensing/catalog/a/a.ts',
        `import { b } from '../b/repository.ts';`,
        /entered through its index/,
      ],
      [
        'src/licensing/moving/a/a.ts',
        `import { b } from '#licensing/catalog/b/b.ts';`,
        /entered through its index/,
      ],
      [
        'src/licensing/index.ts',
        `import { b } from './catalog/b/endpoints.ts';`,
        /entered through its index/,
      ],
      ['src/licensing/a.ts', `import { b } from '#platform/settings/settings.ts';`, /entered through/],
      ['src/cli/mint.ts', `const b = await import('#licensing/licenses/a/licenses.ts');`, /entered through/],
      ['src/cli/mint.ts', `import { b } from '#licensing/contract/errors.ts';`, /entered through/],
      ['src/cli/mint.ts', `import { b } from '#licensing/catalog/c/deep/view.ts';`, /entered through/],
    ],
    fine: [
      [
        'src/licensing/catalog/a/deep/a.ts',
        `import { b } from '../repository.ts'; import { c } from '../../b/index.ts';`,
      ],
      [
        'src/licensing/catalog/a/a.ts',
        `import { fail } from '#licensing/contract/errors.ts'; import { s } from '#platform/settings/index.ts';`,
      ],
      [
        'src/cli/mint.ts',
        `import { b } from '#licensing/index.ts'; import { c } from '#licensing/catalog/c/index.ts';`,
      ],
      [
        'src/cli/mint.ts',
        `import { b } from '#licensing/catalog/c/view.ts'; import { c } from '#platform/c/view.ts';`,
      ],
    ],
  },
  'wings of a service import one way': {
    rule: importRules.wingsRunOneWay,
    breaches: [
      [
        'src/licensing/catalog/a/a.ts',
        `import { b } from '#licensing/licenses/b/index.ts';`,
        /catalog must not import licenses/,
      ],
      [
        'src/licensing/contract/a.ts',
        `import type { B } from '#licensing/catalog/b/index.ts';`,
        /contract must not import catalog/,
      ],
    ],
    fine: [
      ['src/licensing/licenses/a/a.ts', `import { b } from '#licensing/catalog/b/index.ts';`],
      ['src/licensing/index.ts', `import { b } from './moving/b/index.ts';`],
    ],
  },
  'wings are few and small': {
    rule: importRules.wingsAreSmall,
    breaches: [['src/licensing/attic/a/a.ts', '', /attic is not a wing/]],
    fine: [
      ['src/licensing/catalog/a/a.ts', ''],
      ['src/licensing/contract/a.ts', ''],
    ],
  },
  'imports are written with an alias downward and relative inside a layer': {
    rule: importRules.importsAreWrittenPlainly,
    breaches: [
      ['src/licensing/a/a.ts', `import { b } from '../../kernel/b.ts';`, /is written #kernel/],
      ['src/platform/a/a.ts', `import { b } from '#platform/b/index.ts';`, /inside a layer/],
      ['src/licensing/moving/a/a.ts', `import { b } from '#licensing/moving/b/index.ts';`, /inside a layer/],
      ['src/licensing/moving/a/a.ts', `import { b } from '../../catalog/b/index.ts';`, /leaves its wing/],
      ['src/licensing/a/b/c.ts', `import { b } from '../../../kernel/b.ts';`, /climbs three folders/],
      ['test/a/b/c.test.ts', `import { b } from '../../../src/kernel/b.ts';`, /climbs three folders/],
    ],
    fine: [['src/cli/serve.ts', `import { start } from '../app.ts'; import { b } from '#kernel/b.ts';`]],
  },
  'imports name their module': {
    rule: importRules.importsNameTheirModule,
    breaches: [
      ['src/cli/a.ts', `const load = (name: string) => import(\`./\${name}.ts\`);`, /computed import/],
    ],
    fine: [['src/cli/a.ts', `const load = () => import('./b.ts');`]],
  },
  'each outside library has one home': {
    rule: importRules.librariesHaveOneHome,
    breaches: [
      ['src/licensing/a/repository.ts', `import knex from 'knex';`, /belongs to src\/kernel\/db/],
      ['src/licensing/a/repository.ts', `import type { Knex } from 'knex';`, /belongs to src\/kernel\/db/],
      [
        'src/kernel/db/a.ts',
        `import Client from 'knex/lib/dialects/x.js'; import e from 'express';`,
        /kernel\/http/,
      ],
      ['src/kernel/a.ts', `const prompts = await import('@inquirer/prompts');`, /belongs to src\/cli/],
      ['src/kernel/a.ts', `import { left } from 'left-pad';`, /left-pad has no home/],
      ['migrations/0001-a.ts', `import { knex } from 'knex';`, /belongs to src\/kernel\/db/],
    ],
    fine: [
      ['migrations/0001-a.ts', `import type { Knex } from 'knex';`],
      ['src/licensing/a/schemas.ts', `import { z } from 'zod'; import { join } from 'node:path';`],
    ],
  },
  'only contracts are barrels': {
    rule: importRules.onlyContractsAreBarrels,
    breaches: [
      ['src/licensing/catalog/a/deep/index.ts', `export const a = 1;`, /belongs to a capability/],
      ['src/licensing/a/all.ts', `export * from './b.ts';`, /export \*/],
    ],
    fine: [['src/licensing/catalog/a/index.ts', `export * from './a.ts';`]],
  },
  'time, chance and the environment enter through the kernel': {
    rule: sourceRules.ambientValuesEnterThroughTheKernel,
    breaches: [
      ['src/cli/a.ts', `const now = Date.now();`, /Date\.now/],
      ['src/cli/a.ts', `const clock = { now: Date.now };`, /Date\.now/],
      ['src/cli/a.ts', `const now = globalThis.Date.now();`, /Date\.now/],
      ['src/cli/a.ts', `const now = new Date();`, /new Date\(\)/],
      ['src/cli/a.ts', `const now = Date();`, /new Date\(\)/],
      ['src/cli/a.ts', `const n = Math.random();`, /Math\.random/],
      ['src/cli/a.ts', `import { randomUUID } from 'node:crypto';`, /randomUUID/],
      ['src/cli/a.ts', `const id = crypto.randomUUID();`, /randomUUID/],
      ['src/cli/a.ts', `const home = process.env.HOME;`, /process\.env/],
      ['src/cli/a.ts', `const home = process['env']['HOME'];`, /process\.env/],
      ['src/cli/a.ts', `const { env } = process;`, /process\.env/],
      ['src/client/a.ts', `const now = Date.now();`, /Date\.now/],
      ['src/client/clock.ts', `const now = new Date();`, /new Date\(\)/],
      ['src/client/clock.ts', `const n = Math.random();`, /Math\.random/],
    ],
    fine: [
      ['src/kernel/clock.ts', `export const now = () => new Date();`],
      ['src/client/clock.ts', `export const now = () => Date.now();`],
      [
        'src/cli/a.ts',
        `// Date.now() is ambient\nconst text = 'new Date()'; const then = new Date('2030-01-01');`,
      ],
    ],
  },
  'only repositories speak SQL': {
    rule: sourceRules.onlyRepositoriesSpeakSql,
    breaches: [
      ['src/licensing/a/a.ts', `export const a = (ctx: Ctx) => ctx.db.first(q);`, /ctx\.db/],
      ['src/licensing/a/a.ts', `export const a = ({ db }: Ctx) => db.first(q);`, /\{ db \}/],
      ['src/licensing/a/a.ts', `const rows = await db('licenses').select();`, /db\(…\)/],
      ['src/licensing/a/a.ts', `const rows = await handle.raw('select 1');`, /\.raw/],
      ['src/licensing/a/a.ts', `import { statement } from '#kernel/db/statement.ts';`, /statement/],
    ],
    fine: [
      ['src/licensing/a/repository.ts', `export const a = (ctx: Ctx) => ctx.db.first(q);`],
      ['src/licensing/a/queries.ts', `export const a = (ctx: Ctx) => ctx.db.first(q);`],
      ['src/kernel/db/a.ts', `const rows = await db('licenses').select();`],
      [
        'src/licensing/a/a.ts',
        `const text = String.raw\`\\d\`; const value = config.db; app.use(express.raw({}));`,
      ],
    ],
  },
  'a table has one writer': {
    rule: tablesHaveOneWriter,
    breaches: [
      [
        'src/licensing/licenses/seats/repository.ts',
        `const extend = statement((q, p) => q('license_activations').where('id', p('id')).update({ a: p('a') }));`,
        /writes license_activations, which belongs to src\/licensing\/licenses\/activations/,
      ],
      ['src/kernel/jobs/repository.ts', `ctx.db.knex('settings').insert({ key });`, /writes settings/],
      ['src/platform/a/queries.ts', `await knex('webhooks as w').where({ id }).delete();`, /writes webhooks/],
      ['src/platform/a/queries.ts', `knex('counters').where({ name }).increment('value');`, /kernel\/db/],
      ['src/platform/a/queries.ts', `knex.insert(rows).into('api_keys');`, /writes api_keys/],
      ['src/platform/a/queries.ts', `const TABLE = 'api_keys';\nknex(TABLE).del();`, /:2 writes api_keys/],
      [
        'src/licensing/a/repository.ts',
        `const live = (query) => query.whereNull('ended_at');\nlive(q('license_activations')).update({});`,
        /writes license_activations/,
      ],
      [
        'src/licensing/a/repository.ts',
        `const of = (id) => { const { knex } = ctx.db; return knex('licenses').where({ id }); };\nof(1).update({});`,
        /writes licenses/,
      ],
      [
        'src/licensing/a/repository.ts',
        `const row = insertInto(licenseRecord);`,
        /writes \?, which has no owner/,
      ],
      [
        'src/licensing/a/repository.ts',
        `knex(entity.table).insert(values);`,
        /writes \?, which has no owner/,
      ],
      [
        'src/licensing/a/repository.ts',
        `q('license_lost').insert(values);`,
        /license_lost, which has no owner/,
      ],
      ['src/licensing/a/a.ts', `const sql = 'DELETE FROM license_keys';`, /writes license_keys/],
      ['src/licensing/a/a.ts', 'const sql = `UPDATE licenses SET status = 1`;', /writes licenses/],
      ['src/licensing/a/a.ts', `const sql = 'INSERT OR IGNORE INTO settings VALUES (1)';`, /writes settings/],
    ],
    fine: [
      ['src/licensing/licenses/licenses/a/repository.ts', `knex('licenses').where({ id }).update({ a });`],
      ['src/licensing/a/queries.ts', `knex('licenses').where({ id }).forUpdate().select('id');`],
      [
        'src/licensing/licenses/usage/repository.ts',
        `q('license_usage').whereIn('license_id', q('licenses').select('id')).update({ a: 1 });`,
      ],
      ['src/kernel/db/record-rows.ts', `statement((q, p) => q(record.table).insert(p.row(...columns)));`],
      ['src/licensing/a/repository.ts', `hash.update(text); waiting.delete(name); repo.insert(ctx, row);`],
      ['src/licensing/a/a.ts', `const sql = 'ON CONFLICT DO UPDATE SET a = 1 FOR UPDATE OF licenses';`],
    ],
  },
  'raw SQL is constant': {
    rule: sourceRules.rawSqlIsConstant,
    breaches: [
      ['src/licensing/a/repository.ts', `q.raw(\`select \${name}\`);`, /put together/],
      ['src/licensing/a/queries.ts', `q.orderByRaw(\`\${column} desc\`);`, /put together/],
      ['src/kernel/db/a.ts', `q.whereRaw('a = ' + value);`, /put together/],
    ],
    fine: [
      ['src/kernel/db/a.ts', 'q.raw(`select ?`, [value]); q.orderByRaw("a " + "desc"); q.raw(sql.now);'],
    ],
  },
  'the source runs as it is': {
    rule: sourceRules.sourceRunsAsItIs,
    breaches: [
      ['src/cli/a.ts', `export enum Kind { A }`, /enum/],
      ['src/cli/a.ts', `export namespace Kind { export const a = 1; }`, /namespace/],
      ['src/cli/a.ts', `class A { constructor(private readonly b: string) {} }`, /parameter property/],
      ['src/cli/a.ts', `@sealed class A {}`, /./],
    ],
    fine: [
      [
        'src/cli/a.ts',
        `export class A<T> { readonly #b: T; constructor(b: T) { this.#b = b satisfies T; } }`,
      ],
    ],
  },
  'exports have names': {
    rule: sourceRules.exportsHaveNames,
    breaches: [
      ['src/cli/a.ts', `export default 1;`, /default export/],
      ['src/cli/a.ts', `const a = 1; export { a as default };`, /default export/],
    ],
    fine: [['test/vitest.config.ts', `export default {};`]],
  },
  'files have at most 300 lines, those of tests 600': {
    rule: sourceRules.filesStaySmall,
    breaches: [
      ['src/a.ts', 'a();\n'.repeat(301), /has 301 lines/],
      ['test/a.test.ts', 'a();\n'.repeat(601), /has 601 lines/],
    ],
    fine: [
      ['src/cli/a.ts', 'a();\n'.repeat(300)],
      ['test/a.test.ts', 'a();\n'.repeat(600)],
    ],
  },
  'functions have at most 50 lines': {
    rule: sourceRules.functionsStaySmall,
    breaches: [
      ['src/cli/a.ts', `function a() {\n${'b();\n'.repeat(49)}}`, /function of 51 lines/],
      ['src/cli/a.ts', `const o = {\n  m() {\n${'b();\n'.repeat(49)}} };`, /a\.ts:2 function of 51 lines/],
      [
        'migrations/0001-a.ts',
        `function a() {\n  return () => {\n${'b();\n'.repeat(40)}${'\n'.repeat(9)}};\n}`,
        /:2 /,
      ],
    ],
    fine: [
      ['src/cli/a.ts', `function a() {\n${'b();\n'.repeat(48)}}`],
      ['test/a.test.ts', `describe('a', () => {\n${'b();\n'.repeat(100)}});`],
    ],
  },
  'helpers of tests register hooks when they are called': {
    rule: sourceRules.helpersRegisterHooksWhenCalled,
    breaches: [['test/support/a.ts', `beforeEach(() => b());`, /beforeEach outside a function/]],
    fine: [
      ['test/support/a.ts', `export function useA() { beforeEach(() => b()); }`],
      ['test/a.test.ts', `beforeEach(() => b());`],
    ],
  },
  'citations have their line in src/decisions': {
    rule: citationsResolve,
    breaches: [
      ['src/cli/a.ts', '/** Refused (D999). */', /D999 has no line/],
      ['test/a.test.ts', `test('is told once (C88)', run);`, /C88 has no line/],
      ['src/kernel/a.ts', '// (decision 9999)', /decision 9999 has no line/],
    ],
    fine: [['src/cli/a.ts', '/** Refused (D12, licensing 6.6; decision 0007). */']],
  },
  'names say what files hold': {
    rule: sourceRules.namesSayWhatFilesHold,
    breaches: [
      ['src/licensing/licenseKeys/a.ts', '', /licenseKeys is not kebab-case/],
      ['src/licensing/a/b_c.ts', '', /b_c is not kebab-case/],
      ['src/kernel/string-utils.ts', '', /does not say/],
      ['test/support/helpers.ts', '', /does not say/],
      ['migrations/first.ts', '', /four digits/],
    ],
    fine: [
      ['src/kernel/views/helpers.ts', ''],
      ['migrations/0001-a.ts', ''],
      ['test/a/b-c.db.test.ts', ''],
    ],
  },
};

/** A test's name: the planted text as far as it fits a line. */
const named = ([file, text]: readonly [string, string, ...unknown[]]) =>
  `${file} ${text.replaceAll('\n', ' ').slice(0, 70)}`;

describe.each(Object.entries(cases))('%s', (_name, { rule, breaches, fine }) => {
  test('in this repository', () => {
    expect(rule(source)).toEqual([]);
  });

  for (const planted of breaches) {
    const [file, text, report] = planted;
    test(`a breach is seen: ${named(planted)}`, () => {
      expect(rule([{ file, text }])).toEqual(expect.arrayContaining([expect.stringMatching(report)]));
    });
  }

  for (const planted of fine) {
    const [file, text] = planted;
    test(`this is right: ${named(planted)}`, () => expect(rule([{ file, text }])).toEqual([]));
  }
});

test('the scan sees the source at all', () => {
  const files = source.map(({ file }) => file);
  expect(files).toEqual(
    expect.arrayContaining(['bin/build.ts', 'src/kernel/native.ts', 'test/architecture.test.ts']),
  );
});

test('every table of the database has its owner in the list, and the list has no other', async () => {
  const folder = scratchFolder('appctl-owners-');
  const url = `sqlite:${join(folder, 'appctl.db')}`;
  await applySchema(url);
  const database = await openDatabase(url, {
    poolSize: 1,
    busyTimeoutMs: 5000,
    create: false,
    onError: () => undefined,
  });
  const tables = await listTables(database.db).finally(() => database.close());
  rmSync(folder, { recursive: true });
  expect(tables).toContain('licenses');
  expect(ownershipFaults(tables)).toEqual([]);
  expect(ownershipFaults(['license_lost'])).toContain('license_lost has no owner');
});

test('a circle of three files is seen, and where it closes', () => {
  const file = (name: string, target: string) => ({
    file: `src/kernel/${name}.ts`,
    text: `import type { A } from './${target}.ts';`,
  });
  expect(importsRunInNoCircle([file('a', 'b'), file('b', 'c'), file('c', 'a'), file('d', 'a')])).toEqual([
    'src/kernel/c.ts: imports in a circle: src/kernel/a.ts > src/kernel/b.ts > src/kernel/c.ts > src/kernel/a.ts',
  ]);
});
