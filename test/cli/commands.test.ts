import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { CommandSpec } from '../../src/cli/frame/spec.ts';
import { buildTree, resolveCommand } from '../../src/cli/frame/tree.ts';
import { commandTree, treeFor } from '../../src/cli/index.ts';
import { runInside } from '../support/cli-inside.ts';
import { type CliOptions, errorOf, program, runCli, sourceProgram } from '../support/cli-process.ts';
import { scratchFolder } from '../support/scratch-folder.ts';

let cwd: string;
beforeAll(() => {
  cwd = scratchFolder('appctl-cli-');
});
afterAll(() => rmSync(cwd, { recursive: true }));

const appctl = (args: string[], options: CliOptions = {}) => runInside(args, { cwd, ...options });
/** The same as a process, which also shows that the program itself loads. */
const spawned = (args: string[], options: CliOptions = {}) => runCli(args, { cwd, ...options });
const tree = await commandTree();
const paths = tree.specs.filter((spec) => !spec.hidden).map((spec) => spec.path);

describe('the tree', () => {
  test('--map=json, --map=paths and --map hold every command', async () => {
    const json = await spawned(['--map=json']);
    const map = JSON.parse(json.stdout) as { commands: { path: string }[] };
    expect(map.commands.map(({ path }) => path)).toEqual(paths);
    expect((await appctl(['--map', 'paths'])).stdout.trimEnd().split('\n')).toEqual(paths);
    const drawn = await appctl(['--map']);
    for (const path of paths) expect(drawn.stdout).toContain(`  ${path.split(' ').at(-1)} `);
    expect((await appctl(['--map=xml'])).code).toBe(2);
  });

  async function expectHelpAndRefusal(path: string, run: typeof appctl) {
    const words = path.split(' ');
    const help = await run([...words, '--help']);
    expect({ code: help.code, stderr: help.stderr }).toEqual({ code: 0, stderr: '' });
    expect(help.stdout).toContain('Examples:');
    expect(help.stdout.indexOf('Examples:')).toBeLessThan(help.stdout.indexOf('Usage: '));
    const bogus = await run([...words, '--bogus-flag']);
    expect(bogus.code).toBe(2);
    expect(bogus.stdout).toBe('');
    expect(bogus.stderr).toContain('error: unknown option --bogus-flag');
  }

  test.each(paths)('%s: --help is 0 and a bogus flag is 2', (path) => expectHelpAndRefusal(path, appctl));

  test.each(['serve', 'config show', 'license machines list'])('%s: so they are as a process', (path) =>
    expectHelpAndRefusal(path, spawned),
  );

  test('every action and every schema loads in a process', async () => {
    const script = join(import.meta.dirname, '../support/load-commands.ts');
    const loaded = await spawned([], { script });
    expect({ code: loaded.code, stderr: loaded.stderr }).toEqual({ code: 0, stderr: '' });
    expect(loaded.stdout.trimEnd().split('\n')).toEqual(tree.specs.map(({ path }) => path));
  }, 60_000);

  test('no option takes a secret as its value', () => {
    const reference = /-(file|env|stdin)$/;
    const options = tree.specs.flatMap((spec) =>
      (spec.options ?? []).filter((option) => option.value !== undefined),
    );
    const suspects = options
      .map(({ name }) => name)
      .filter((name) => /pass|secret|token|credential/.test(name));
    expect(suspects.filter((name) => !reference.test(name))).toEqual([]);
  });

  test.each([
    ['a global name', { options: [{ name: 'json', summary: '' }] }, /defines --json, which is taken/],
    ['a global letter', { options: [{ name: 'x', short: 'q', summary: '' }] }, /defines -q, which is taken/],
    [
      'a secret',
      { options: [{ name: 'api-secret', value: 'S', summary: '' }] },
      /take a secret as its value/,
    ],
    [
      'x and no-x',
      {
        options: [
          { name: 'jobs', summary: '' },
          { name: 'no-jobs', summary: '' },
        ],
      },
      /defines both/,
    ],
    [
      'a foreign key',
      { options: [{ name: 'port', value: 'N', summary: '', config: 'listen' }] },
      /no flag --port/,
    ],
  ] as [string, Partial<CommandSpec>, RegExp][])(
    '%s as an option is refused at definition',
    (_what, more, message) => {
      const load = async () => async () => {};
      const spec: CommandSpec = { path: 'x', summary: '', runs: ['O'], examples: [], load, ...more };
      expect(() => buildTree([], [spec])).toThrow(message);
      expect(() =>
        buildTree(
          [],
          [
            { ...spec, options: [] },
            { ...spec, options: [] },
          ],
        ),
      ).toThrow(/two commands/);
    },
  );

  test('an alias that is taken, or that leads nowhere, is refused at definition', () => {
    const load = async () => async () => {};
    const specs = ['a x', 'b y'].map(
      (path): CommandSpec => ({ path, summary: '', runs: ['O'], examples: [], load }),
    );
    for (const aliases of [['b y'], ['c z'], ['b z', 'b z']])
      expect(() => buildTree([{ path: 'a', summary: '', aliases }], specs)).toThrow(
        /alias '[bc] [yz]' of 'a' is taken/,
      );
  });

  test('help stands everywhere, also without a command', async () => {
    const direct = await appctl(['config', 'show', '-h']);
    expect((await appctl(['--help', 'config', 'show'])).stdout).toBe(direct.stdout);
    expect((await appctl(['help', 'config', 'show'])).stdout).toBe(direct.stdout);
    const alone = await spawned([]);
    expect(alone).toMatchObject({ code: 0, stderr: '' });
    expect(alone.stdout).toContain('Usage: appctl <command>');
    const group = await spawned(['config']);
    expect(group).toMatchObject({
      code: 0,
      stdout: (await spawned(['config', '--help'])).stdout,
      stderr: '',
    });
    const flagged = await appctl(['config', '--json']);
    expect(flagged.code).toBe(2);
    expect(flagged.stderr).toContain('appctl config needs a subcommand: show, check, init, path');
    expect((await appctl(['help', 'config', 'shwo'])).stderr).toContain(
      'hint: did you mean appctl help config show?',
    );
  });
});

describe('JSON answers', () => {
  test.each([
    ['version'],
    ['config show'],
    ['config show listen database'],
    ['config check'],
    ['config init --out new.toml'],
    ['config init --dry-run --out other.toml'],
    ['config path'],
    ['schema'],
    ['schema config show'],
  ])('%s --json is one document that matches its schema', async (line) => {
    const words = line.split(' ');
    const env = { FORCE_COLOR: '1', APPCTL_LOG_LEVEL: 'debug' };
    const run = await spawned([...words, '--json'], { env });
    expect({ code: run.code, stderr: run.stderr }).toEqual({ code: 0, stderr: '' });
    expect(run.stdout).toMatch(/^[{[].*\n$/);
    const spec = tree.specs.find(({ path }) => line === path || line.startsWith(`${path} `));
    const schema = await spec?.output?.();
    expect(schema?.safeParse(JSON.parse(run.stdout)).success).toBe(true);
  });

  test.each([['completion', 'bash'], ['help']])(
    '%s is no JSON, so --json is a usage error',
    async (...words) => {
      const run = await appctl([...words, '--json']);
      expect({ code: run.code, stdout: run.stdout }).toEqual({ code: 2, stdout: '' });
      expect(errorOf(run).code).toBe('USAGE');
    },
  );

  test('version, -V and --version say the same', async () => {
    const { version } = JSON.parse(readFileSync(join(sourceProgram, '../../package.json'), 'utf8')) as {
      version: string;
    };
    const long = await spawned(['version']);
    expect(long.stdout).toMatch(new RegExp(`^appctl ${version.replaceAll('.', '\\.')} \\(node 24\\.`));
    for (const flag of ['-V', '--version']) expect((await appctl([flag])).stdout).toBe(long.stdout);
    expect(JSON.parse((await appctl(['--json', '-V'])).stdout)).toMatchObject({ version, packaged: false });
  });

  test('schema of an unknown command is 3, of one without JSON too', async () => {
    for (const words of [['nothing'], ['config', 'shwo'], ['completion']]) {
      const run = await appctl(['schema', ...words, '--json']);
      expect({ code: run.code, stdout: run.stdout }).toEqual({ code: 3, stdout: '' });
    }
  });

  test('schema of a family names its commands', async () => {
    const { code, stderr } = await appctl(['schema', 'config']);
    expect(code).toBe(3);
    expect(stderr).toMatch(
      /^error: appctl config needs a subcommand: show, .*\nhint: appctl schema config show$/m,
    );
  });
});

describe('config', () => {
  test('show --sources names flag, variable, file and default', async () => {
    writeFileSync(join(cwd, 'a.toml'), 'service_name = "shop"\n');
    writeFileSync(join(cwd, 'token'), 'geheim\n');
    const env = { APPCTL_LISTEN: '0.0.0.0:8080', APPCTL_METRICS_TOKEN_FILE: join(cwd, 'token') };
    const args = ['config', 'show', '-c', 'a.toml', '--db', 'postgres://u:pw@h/d'];
    const { stdout } = await appctl([...args, '--json'], { env });
    const shown = JSON.parse(stdout) as Record<string, object>;
    expect(stdout).not.toMatch(/geheim|:pw@/);
    expect(shown).toMatchObject({
      listen: { value: '0.0.0.0:8080', source: 'env', name: 'APPCTL_LISTEN' },
      service_name: { value: 'shop', source: 'file', name: join(cwd, 'a.toml') },
      'metrics.token': { value: '****', source: 'env_file', name: 'APPCTL_METRICS_TOKEN_FILE' },
      'database.url': { value: 'postgres://u:****@h/d', source: 'flag', name: '--db' },
      workers: { value: 1, source: 'default', name: 'default' },
    });
    const revealed = await appctl([...args, 'metrics', '--reveal', '--plain'], { env });
    expect(revealed.stdout).toContain('metrics.token\tgeheim\n');
    const table = await appctl(['config', 'show', 'listen', '--sources'], { env });
    expect(table.stdout).toMatch(/^KEY +VALUE +SOURCE +NAME\nlisten +0\.0\.0\.0:8080 +env +APPCTL_LISTEN\n$/);
  });

  test('show of an unknown key is 3, with a suggestion', async () => {
    const run = await appctl(['config', 'show', 'listn']);
    expect(run).toMatchObject({ code: 3, stdout: '' });
    expect(run.stderr).toContain('hint: did you mean listen?');
  });

  test('a near-miss name is 78, an unknown one and X with X_FILE one warning each', async () => {
    const miss = await spawned(['config', 'show', '--json'], { env: { APPCTL_LISTE: '1' } });
    expect({ code: miss.code, stdout: miss.stdout }).toEqual({ code: 78, stdout: '' });
    expect(errorOf(miss)).toMatchObject({ code: 'CONFIG_INVALID', hint: 'rename it to APPCTL_LISTEN' });
    const env = { APPCTL_OTHER_THING: '1', APPCTL_TENANT: 'a', APPCTL_TENANT_FILE: '/nowhere' };
    const warned = await spawned(['config', 'show', 'tenant', '--plain'], { env });
    expect(warned).toMatchObject({ code: 0, stdout: 'tenant\ta\n' });
    expect(warned.stderr.match(/^warning: /gm)).toHaveLength(2);
  });

  test('check reports every problem and warning, and ends with 78', async () => {
    const env = {
      APPCTL_LISTEN: 'x',
      APPCTL_WORKERS: '0',
      APPCTL_TENANT: 'a',
      APPCTL_TENANT_FILE: '/nowhere',
    };
    const run = await appctl(['config', 'check', '--json'], { env });
    expect(run.code).toBe(78);
    const { valid, problems, warnings } = JSON.parse(run.stdout);
    expect(valid).toBe(false);
    expect(problems.map(({ key }: { key: string }) => key)).toEqual(['listen', 'workers']);
    expect(warnings.map(({ key }: { key: string }) => key)).toEqual(['APPCTL_TENANT']);
  });

  test('init never overwrites, and what it writes is valid', async () => {
    const first = await spawned(['config', 'init', '--full', '--out', 'full.toml']);
    expect(first.stdout).toBe(`wrote ${join(cwd, 'full.toml')}\n`);
    expect(first.stderr).toBe('Next: appctl config check --config full.toml\n');
    expect((await appctl(['config', 'check', '-c', 'full.toml'])).code).toBe(0);
    expect((await appctl(['config', 'init', '--out', 'full.toml'])).code).toBe(5);
    expect((await appctl(['config', 'init', '--out', 'full.toml', '-n'])).code).toBe(5);
    const raw = await appctl(['config', 'init', '--full', '--out', '-']);
    expect(raw.stdout).toBe(readFileSync(join(cwd, 'full.toml'), 'utf8'));
    expect((await appctl(['config', 'init', '--out', '-', '--json'])).code).toBe(2);
    expect((await appctl(['config', 'init', '-n', '--out', 'never.toml'])).code).toBe(0);
    expect(existsSync(join(cwd, 'never.toml'))).toBe(false);
  });

  test('path works with an invalid configuration too', async () => {
    const run = await appctl(['config', 'path', '--json'], {
      env: { APPCTL_LISTEN: 'x', APPCTL_DATA_DIR: 'd' },
    });
    expect(JSON.parse(run.stdout)).toEqual({ config: null, dataDir: join(cwd, 'd'), envFile: null });
    expect((await appctl(['config', 'path', '-c', 'missing.toml'])).code).toBe(78);
  });
});

describe('completion', () => {
  const words = async (...line: string[]) => {
    const { stdout } = await appctl(['complete-words', '--', ...line]);
    return stdout.split('\n').flatMap((text) => (text === '' ? [] : [text.split('\t', 1)[0]]));
  };

  test('commands, flags, values of choices, keys and files', async () => {
    expect(await words('conf')).toEqual(['config']);
    expect(await words('config', '')).toEqual(['show', 'check', 'init', 'path']);
    expect(await words('--data-dir', 'x', 'config', 'show', '--so')).toEqual(['--sources']);
    expect(await words('completion', '')).toEqual(['bash', 'zsh', 'fish', 'powershell']);
    expect(await words('config', 'show', 'log.')).toEqual(['log.level', 'log.format', 'log.file']);
    expect(await words('config', 'init', '--out', '')).toEqual([':files']);
    expect(await words('--map=p')).toEqual(['--map=paths']);
    expect(await words('schema', 'ver')).toEqual(['version']);
  });

  test('the bash script completes in a real bash', async () => {
    const { stdout } = await spawned(['completion', 'bash']);
    const print = `printf '%s\\n' "\${COMPREPLY[@]}"`;
    const typed = `COMP_WORDS=(appctl config show --so); COMP_CWORD=3; _appctl; ${print}`;
    const run = `appctl() { "${process.execPath}" "${program}" "$@"; }\n${stdout}\n${typed}`;
    expect(execFileSync('bash', ['-euc', run], { cwd, encoding: 'utf8' })).toBe('--sources\n');
  });

  test('zsh and fish get a script of their own, an unknown shell is a usage error', async () => {
    expect((await appctl(['completion', 'zsh'])).stdout).toMatch(/^#compdef appctl\n/);
    expect((await appctl(['completion', 'fish'])).stdout).toContain('complete -c appctl');
    expect((await appctl(['completion', 'tcsh'])).code).toBe(2);
  });

  test('PowerShell, which hands over no empty word, asks by a flag', async () => {
    const { stdout } = await appctl(['completion', 'powershell']);
    expect(stdout).toContain("Register-ArgumentCompleter -Native -CommandName 'appctl'");
    const asked = await appctl(['complete-words', '--new-word', '--', 'config']);
    expect(asked.stdout.split('\n')[0]).toMatch(/^show\t/);
  });

  test('--install writes it where the shell looks, once, and leaves files of others alone', async () => {
    const files = {
      bash: '.local/share/bash-completion/completions/appctl',
      zsh: '.local/share/zsh/site-functions/_appctl',
      fish: '.config/fish/completions/appctl.fish',
      powershell: '.config/powershell/profile.ps1',
    };
    for (const [shell, file] of Object.entries(files)) {
      const planned = await appctl(['completion', shell, '--install', '-n']);
      expect([planned.stdout, existsSync(join(cwd, file))]).toEqual([
        `would write ${join(cwd, file)}\n`,
        false,
      ]);
      const first = await appctl(['completion', shell, '--install']);
      expect({ code: first.code, stdout: first.stdout }).toEqual({
        code: 0,
        stdout: `wrote ${join(cwd, file)}\n`,
      });
      const script = (await appctl(['completion', shell])).stdout;
      if (shell !== 'powershell') expect(readFileSync(join(cwd, file), 'utf8')).toBe(script);
      expect((await appctl(['completion', shell, '--install'])).stdout).toContain('is up to date');
    }
    writeFileSync(join(cwd, files.powershell), 'Set-Alias ll Get-ChildItem');
    await appctl(['completion', 'powershell', '--install']);
    expect(readFileSync(join(cwd, files.powershell), 'utf8')).toMatch(
      /^Set-Alias ll Get-ChildItem\nappctl completion/,
    );
    writeFileSync(join(cwd, files.fish), 'complete -c other');
    expect((await appctl(['completion', 'fish', '--install'])).code).toBe(5);
    expect(readFileSync(join(cwd, files.fish), 'utf8')).toBe('complete -c other');
  });
});

test.each(tree.specs.map(({ path }) => path))(
  'a command line finds %s in the tree that it loads',
  async (path) => {
    const words = path.split(' ');
    for (const argv of [
      words,
      [...words, '--help'],
      ['--json', ...words],
      ['--data-dir', 'status', ...words],
    ]) {
      expect(resolveCommand(await treeFor(argv), argv).node.spec?.path).toBe(path);
    }
  },
);

test('a command line of an alias, of a group and of no command finds what the whole tree has', async () => {
  for (const argv of [['webhook', 'inbound', 'list'], ['license'], ['licens', 'mint'], ['--version'], []]) {
    const [some, all] = [await treeFor(argv), tree].map((one) => resolveCommand(one, argv));
    expect([some?.node.path, some?.unknown, some?.rootFlag]).toEqual([
      all?.node.path,
      all?.unknown,
      all?.rootFlag,
    ]);
  }
});
