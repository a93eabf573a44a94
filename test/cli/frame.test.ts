import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { runInside } from '../support/cli-inside.ts';
import { type CliOptions, errorOf, runCli } from '../support/cli-process.ts';
import { sampleTree } from '../support/sample-commands.ts';

const script = join(import.meta.dirname, '../support/sample-cli.ts');
const tree = sampleTree();
const sample = (args: string[], options: CliOptions = {}) => runInside(args, options, tree);
/** The same as a process, where its streams and its end are what is asked. */
const spawned = (args: string[], options: CliOptions = {}) => runCli(args, { ...options, script });

describe('output', () => {
  test('--json is one document, also with forced color and set the log level to debug', async () => {
    const { code, stdout } = await spawned(['list', '--json', '--verbose'], { env: { FORCE_COLOR: '1' } });
    expect(code).toBe(0);
    expect(stdout).toMatch(/^\{.*\}\n$/);
    expect(JSON.parse(stdout)).toMatchObject({
      items: [{ id: 'a1' }, { id: 'b2' }],
      pagination: { total: 4 },
    });
  });

  test('a table for a human, the page on stderr', async () => {
    const { stdout, stderr } = await sample(['list']);
    expect(stdout.split('\n')[0]).toMatch(/^ID +NAME +SEATS$/);
    expect(stdout).toContain('a1  =1+1');
    expect(stdout).not.toContain('\u001b');
    expect(stderr).toBe('page 1 of 2, 4 in all; --page 2 shows the next\n');
    expect((await sample(['list', '-q'])).stderr).toBe('');
  });

  test('FORCE_COLOR paints the table, NO_COLOR and --no-color and TERM=dumb win over it', async () => {
    const env = { FORCE_COLOR: '1' };
    expect((await spawned(['list'], { env })).stdout).toContain('\u001b');
    expect((await sample(['list', '--no-color'], { env })).stdout).not.toContain('\u001b');
    expect((await sample(['list'], { env: { ...env, NO_COLOR: '1' } })).stdout).not.toContain('\u001b');
    expect((await sample(['list'], { env: { ...env, TERM: 'dumb' } })).stdout).not.toContain('\u001b');
  });

  test('--plain is one record per line, without tabs inside a field', async () => {
    const { stdout } = await sample(['list', '--plain']);
    expect(stdout).toBe('a1\t=1+1\t5\nb2\thas "quotes", a comma and a tab\t12\n');
  });

  test('--csv is RFC 4180 with a header, and no formula survives', async () => {
    const { stdout } = await sample(['list', '--csv']);
    expect(stdout).toBe('id,name,seats\r\na1,\'=1+1,5\r\nb2,"has ""quotes"", a comma\tand a tab",12\r\n');
  });

  test('--fields selects JSON fields and columns, also inside an object', async () => {
    const json = await sample(['list', '--json', '--fields', 'id,customer.email']);
    expect(JSON.parse(json.stdout).items).toEqual([
      { id: 'a1', 'customer.email': 'ann@x.test' },
      { id: 'b2', 'customer.email': 'bob@x.test' },
    ]);
    const plain = await sample(['list', '--plain', '--fields', 'customer.email,id']);
    expect(plain.stdout).toBe('ann@x.test\ta1\nbob@x.test\tb2\n');
  });

  test('--json, --csv and --plain cannot be used together', async () => {
    for (const pair of [
      ['--json', '--csv'],
      ['--plain', '--csv'],
      ['--plain', '--json'],
    ]) {
      const run = await sample(['list', ...pair]);
      expect(run.code).toBe(2);
      expect(run.stderr).toContain('cannot be used together');
    }
  });

  test('notes and next steps are on stderr, and quiet with -q', async () => {
    expect((await sample(['hint'])).stderr).toBe('a note\nNext: sample list\n');
    expect((await sample(['hint', '-q'])).stderr).toBe('');
    expect((await sample(['hint', '--json'])).stdout).toBe('{"ok":true}\n');
  });

  test('a reader that closes the pipe early ends the command silently with 0', async () => {
    const child = spawn(process.execPath, [script, 'stream', '--json'], {
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    let stderr = '';
    child.stderr.on('data', (text) => {
      stderr += text;
    });
    child.stdout.once('data', () => child.stdout.destroy());
    const code = await new Promise((resolve) => child.on('close', resolve));
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
  });

  test('a stream is written out whole before the process ends', async () => {
    const { stdout } = await spawned(['stream', '--json']);
    expect(stdout.split('\n').length).toBe(100_001);
  });
});

describe('flags', () => {
  test('global flags stand before and after the subcommand', async () => {
    for (const args of [
      ['--json', 'create', '--email', 'a@x.test'],
      ['create', '--email', 'a@x.test', '--json'],
    ]) {
      const run = await sample(args);
      expect(JSON.parse(run.stdout)).toEqual({ email: 'a@x.test', days: null });
    }
  });

  test('a subcommand may have --version and an alias of its own', async () => {
    const run = await sample(['make', '--email', 'a@x.test', '--version', '2.1.0', '--json']);
    expect({ code: run.code, stderr: run.stderr }).toEqual({ code: 0, stderr: '' });
  });

  test.each([
    [['create', '--emial', 'x'], 'unknown option --emial', 'did you mean --email?'],
    [['creat'], "unknown command 'creat'", 'did you mean appctl create?'],
    [['create', '--email'], '--email needs a value', 'appctl create --help'],
    [
      ['create', '--email', '--json'],
      "--email '--json' is invalid",
      'put a value between --email and --json',
    ],
    [['create', '--email', 'a', '--days', '0'], "--days '0' is invalid", 'a whole number from 1 to 400'],
    [['create', '--email', 'a', '--days', '1.5'], "--days '1.5' is invalid", 'a whole number from 1 to 400'],
    [['create', 'more', '--email', 'a'], 'too many arguments', 'appctl create --help'],
    [['fail'], 'CODE is missing', 'appctl fail --help'],
    [
      ['list', '--server', 'http://x.test'],
      'cannot run on a remote server',
      'it needs no server: leave out --server',
    ],
    [['purge', '-n'], 'has no dry run', 'leave out --dry-run'],
    [['--json'], 'a command is missing after --json', 'appctl --help'],
  ])('%j is a usage error that says what to do', async (args, message, hint) => {
    const human = await sample(args);
    expect(human.code).toBe(2);
    expect(human.stdout).toBe('');
    if (!args.includes('--json')) {
      expect(human.stderr).toMatch(/^error: /);
      expect(human.stderr).toContain(message);
      expect(human.stderr).toContain(`hint: ${hint}`);
    }
    const json = await sample(['--json', ...args]);
    expect(json.code).toBe(2);
    expect(json.stdout).toBe('');
    expect(errorOf(json)).toMatchObject({ code: 'USAGE', hint });
    expect(errorOf(json).message).toContain(message);
  });
});

describe('exit codes of services', () => {
  test.each([
    ['VALIDATION_ERROR', undefined, 2],
    ['VALIDATION_MISSING_FIELD', undefined, 2],
    ['INVALID_KEY', undefined, 2],
    ['VALIDATION_ERROR', 'INVALID_TRANSITION', 5],
    ['CONFLICT', 'CANCELLED', 130],
    ['VALIDATION_ERROR', 'DUPLICATE', 5],
    ['NOT_FOUND', undefined, 3],
    ['API_KEY_EXPIRED', undefined, 4],
    ['INVALID_API_KEY', undefined, 4],
    ['INSUFFICIENT_SCOPE', undefined, 4],
    ['INVALID_LICENSE', undefined, 4],
    ['LICENSE_REVOKED', undefined, 5],
    ['SEAT_LIMIT_REACHED', undefined, 5],
    ['CONFLICT', undefined, 5],
    ['RATE_LIMITED', undefined, 9],
    ['INTERNAL_ERROR', undefined, 1],
    ['ECONNREFUSED', undefined, 9],
    ['EADDRINUSE', undefined, 5],
    ['EWHATEVER', undefined, 1],
  ])('%s %s ends with %i', async (code, reason, exit) => {
    const run = await sample(['fail', code, ...(reason === undefined ? [] : [reason]), '--json']);
    expect(run.code).toBe(exit);
    expect(run.stdout).toBe('');
    if (!code.startsWith('E')) expect(errorOf(run).code).toBe(code);
  });

  test('an action may answer with a code', async () => {
    expect((await spawned(['pending'])).code).toBe(8);
  });

  test('--debug adds the stack of an unexpected error, before the last line', async () => {
    const run = await spawned(['fail', 'EWHATEVER', '--json', '--debug']);
    expect(run.stderr).toContain('at ');
    expect(errorOf(run)).toMatchObject({ code: 'INTERNAL_ERROR', message: 'system' });
  });
});

describe('questions without a terminal', () => {
  test.each([[], ['--no-input'], ['--json']])(
    'a missing value ends with 2 and names the flag %j',
    async (...flags) => {
      const run = await sample(['create', ...flags]);
      expect(run.code).toBe(2);
      expect(run.stdout).toBe('');
      expect(run.stderr).toContain('--email is required (no terminal to ask on)');
      expect(run.stderr).toContain('appctl create --help');
    },
  );

  test.each([[], ['--no-input'], ['--json']])('moderate: 10 without --yes %j', async (...flags) => {
    const run = await sample(['revoke', ...flags]);
    expect(run.code).toBe(10);
    expect(run.stderr).toContain('--yes');
    expect((await sample(['revoke', '--yes', ...flags])).code).toBe(0);
  });

  test('severe: 10 without the right name, and --yes is not enough', async () => {
    for (const flags of [[], ['--yes'], ['--confirm', 'other'], ['--json']]) {
      const run = await sample(['purge', ...flags]);
      expect(run.code).toBe(10);
      expect(run.stderr).toContain('--confirm appctl');
    }
    expect((await sample(['purge', '--confirm', 'appctl'])).code).toBe(0);
  });

  test('a dry run is not asked', async () => {
    expect(JSON.parse((await sample(['revoke', '-n', '--json'])).stdout)).toEqual({ ok: true, dryRun: true });
  });

  test('a pipe on stdin is not taken for typed keys', async () => {
    const run = await spawned(['revoke'], { input: 'y\n' });
    expect(run.code).toBe(10);
  });
});

describe('secrets', () => {
  test('come from a file, stdin or a variable, without the final line feed', async () => {
    const input = await spawned(['unlock', '--passphrase-stdin', '--json'], { input: 'hunter2\n' });
    expect(JSON.parse(input.stdout)).toEqual({ length: 7, tried: 'passphrase from --passphrase-stdin' });
    const env = await sample(['unlock', '--passphrase-env', 'PASS', '--json'], { env: { PASS: 'abc' } });
    expect(JSON.parse(env.stdout).length).toBe(3);
  });

  test('an empty secret is not a missing one, and errors say which it was', async () => {
    const empty = await sample(['unlock', '--passphrase-env', 'PASS', '--json'], { env: { PASS: '' } });
    expect(JSON.parse(empty.stdout)).toEqual({
      length: 0,
      tried: 'empty passphrase from --passphrase-env PASS',
    });
    const unset = await sample(['unlock', '--passphrase-env', 'PASS']);
    expect({ code: unset.code, stderr: unset.stderr }).toMatchObject({ code: 2 });
    expect(unset.stderr).toContain('the variable PASS is not set');
  });

  test('without a form and a terminal: 2, and a flag to use', async () => {
    const run = await sample(['unlock']);
    expect(run.code).toBe(2);
    expect(run.stderr).toContain('--passphrase-file is required');
  });

  test('two forms exclude each other, a file that is missing is named', async () => {
    const both = await sample(['unlock', '--passphrase-stdin', '--passphrase-env', 'X']);
    expect(both.code).toBe(2);
    const missing = await sample(['unlock', '--passphrase-file', '/nowhere']);
    expect(missing.code).toBe(2);
    expect(missing.stderr).toContain('--passphrase-file: the file /nowhere does not exist');
  });
});
