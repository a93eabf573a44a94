// The OpenAPI document of each surface: its structure, and a checked-in copy that shows every change of the contract.
import { execFile } from 'node:child_process';
import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { describe, expect, it } from 'vitest';
import { loadConfig } from '#kernel/config/load.ts';
import { openApi } from '#kernel/http/openapi.ts';
import { describedApi } from '#kernel/http/openapi-words.ts';
import { surfacesOf } from '../../src/app/serve.ts';
import { scratchFolder } from '../support/scratch-folder.ts';
import { unboundedInputs } from './openapi-bounds.ts';
import { resolved } from './openapi-resolved.ts';
import { openApiFaults } from './openapi-structure.ts';

type Problem = { severity: string; ruleId: string; location: { pointer: string }[] };

/** Runs the outside linter with its own recommended rules; it must ask no server. */
async function lint(document: unknown): Promise<string[]> {
  const folder = scratchFolder('appctl-lint-');
  const file = join(folder, 'openapi.json');
  writeFileSync(file, JSON.stringify(document));
  const cli = join(import.meta.dirname, '../../node_modules/@redocly/cli/bin/cli.js');
  const env = { ...process.env, REDOCLY_TELEMETRY: 'off', REDOCLY_SUPPRESS_UPDATE_NOTICE: 'true' };
  const args = [cli, 'lint', file, '--format', 'json'];
  try {
    const { stdout } = await promisify(execFile)(process.execPath, args, { env, cwd: folder }).catch(
      (failed: { stdout: string }) => failed,
    );
    const { problems } = JSON.parse(stdout.slice(stdout.indexOf('{'))) as { problems: Problem[] };
    return problems.map(({ severity, ruleId, location }) => `${severity} ${ruleId} ${location[0]?.pointer}`);
  } finally {
    rmSync(folder, { recursive: true });
  }
}

/** What is looked up or compared takes any text that a request head has room for: what is unknown is 404 or 401. */
const ANY_TEXT =
  / (key|release_id|product|tenant|host|file|filename|configId|if-match|x-(license-key|tenant)|\S*-signature)$/;
/** An event of a processor has the form and size that the processor gives it: the bound is that of the body. */
const FOREIGN = / \.payload$/;

const { config } = await loadConfig({ cwd: import.meta.dirname, env: { HOME: import.meta.dirname } });
const documents = surfacesOf(config).map(
  (surface) =>
    [
      surface.name,
      openApi(surface, '0.0.0', 'https://licenses.appctl.test'),
      describedApi(surface, '0.0.0', 'https://licenses.appctl.test'),
    ] as const,
);

describe.each(documents)('%s', (name, document, described) => {
  it('is OpenAPI 3.0', () => {
    expect([openApiFaults(resolved(document)), openApiFaults(resolved(described))]).toEqual([[], []]);
  });

  it('has no fault for @redocly/cli', async () => {
    // These need no credential and read no input: there is nothing to refuse.
    const open = [
      '~1api~1health',
      ...(name === 'store' ? ['~1api~1shop~1config', '~1api~1shop~1categories'] : []),
    ];
    const warnings = open.map((path) => `warn operation-4xx-response #/paths/${path}/get/responses`);
    // Names of variants begin with `var_`, and words come before them.
    const words = name === 'store' ? ['adjust', 'movements'] : [];
    const ambiguous = words.map(
      (word) => `warn no-ambiguous-paths #/paths/~1api~1store~1inventory~1{variantId}~1${word}`,
    );
    // No order has the number `by-token`: that path comes before those of orders.
    if (name === 'store')
      ambiguous.push(
        'warn no-ambiguous-paths #/paths/~1api~1shop~1orders~1by-token~1{token}',
        ...['invoice.pdf', 'shipments', 'cancel', 'resend-confirmation', 'reorder', 'licenses'].map(
          (word) => `warn no-ambiguous-paths #/paths/~1api~1shop~1orders~1{order_number}~1${word}`,
        ),
      );
    // Nor does a file have the id `file`; redocly names it where it comes.
    if (name === 'store')
      ambiguous.splice(-2, 0, 'warn no-ambiguous-paths #/paths/~1api~1shop~1downloads~1file~1{token}');
    expect(await lint(described)).toEqual([...ambiguous, ...warnings]);
  });

  it('states the bound of every input', () => {
    expect(
      unboundedInputs(resolved(document)).filter((input) => !ANY_TEXT.test(input) && !FOREIGN.test(input)),
    ).toEqual([]);
  });

  it('is the checked-in contract', async () => {
    await expect(`${JSON.stringify(document, null, 2)}\n`).toMatchFileSnapshot(
      `snapshots/${name}.openapi.json`,
    );
  });
});

it('@redocly/cli finds what is wrong', async () => {
  const faults = await lint({ openapi: '3.0.3', info: {}, paths: {} });
  expect(faults).toContainEqual(expect.stringMatching(/^error .*#\/info/));
});

describe('the check of the structure', () => {
  const path = '/a/{id}';
  const operation = {
    operationId: 'getA',
    parameters: [{ name: 'id', in: 'path', required: true, schema: { type: 'string' } }],
    responses: { 200: { description: 'Done' } },
    security: [],
  };
  const document = (change: object, schema: object = { type: 'object' }) => ({
    openapi: '3.0.3',
    info: { title: 'A', version: '1' },
    paths: { [path]: { get: { ...operation, ...change } } },
    components: { schemas: { A: schema }, securitySchemes: {} },
  });

  it.each([
    [{}, []],
    [{ parameters: [] }, [/parameters and path differ/]],
    [{ parameters: [{ ...operation.parameters[0], required: false }] }, [/id is not required/]],
    [{ responses: {} }, [/has no response/]],
    [{ responses: { ok: { description: 'Done' } } }, [/ok is no status/]],
    [{ responses: { 200: {} } }, [/has no description/]],
    [{ security: [{ apiKey: [] }] }, [/apiKey is not declared/]],
    [
      { requestBody: { content: { 'application/json': { schema: { $ref: '#/components/schemas/B' } } } } },
      [/leads nowhere/],
    ],
  ] as [object, RegExp[]][])('an operation with %j', (change, faults) => {
    expect(openApiFaults(document(change))).toEqual(faults.map((fault) => expect.stringMatching(fault)));
  });

  it.each([
    [{ type: ['string', 'null'] }, /type/],
    [{ const: 'a' }, /const is not of OpenAPI/],
    [{ type: 'array' }, /without items/],
    [{ type: 'number', exclusiveMinimum: 1 }, /must be a flag/],
    [{ properties: { a: { allOf: [{ items: { nullable: 1 } }] } } }, /^A\.a\.allOf\.0\.items: nullable/],
    [{ required: [] }, /required/],
    [{ additionalProperties: { $id: 'a' } }, /\$id is not/],
  ] as [object, RegExp][])('a schema with %j', (schema, fault) => {
    expect(openApiFaults(document({}, schema))).toEqual([expect.stringMatching(fault)]);
  });
});
