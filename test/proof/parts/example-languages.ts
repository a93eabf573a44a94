// The examples of the manual: how each is built and run where its toolchain is on PATH.
import { spawnSync } from 'node:child_process';
import { cpSync } from 'node:fs';
import { join } from 'node:path';

const EXAMPLES = join(import.meta.dirname, '../../../templates/help/examples');

/** An example that runs. */
export interface Example {
  readonly language: string;
  /** The program and its first words. */
  readonly command: readonly string[];
}

/** An example that does not, and what it would need. */
export interface Unavailable {
  readonly language: string;
  readonly reason: string;
}

/** How an example is made ready in a folder of its own; throws with the reason where it cannot be. */
interface Toolchain {
  readonly language: string;
  prepare(folder: string): readonly string[];
}

const toolchains: readonly Toolchain[] = [
  {
    language: 'python',
    prepare(folder) {
      const where = 'import cryptography, sys; print(sys.executable)';
      const python = run(['python3', '-c', where], folder, 'pip install cryptography').trim();
      return [python, join(folder, 'appctl_license.py')];
    },
  },
  {
    language: 'go',
    prepare(folder) {
      run(['go', 'build', '-o', 'license', '.'], folder);
      return [join(folder, 'license')];
    },
  },
  {
    language: 'rust',
    prepare(folder) {
      run(['cargo', 'build', '--release', '--quiet'], folder);
      return [join(folder, 'target/release/license')];
    },
  },
  {
    language: 'csharp',
    prepare(folder) {
      const version = run(['dotnet', '--version'], folder).trim();
      const major = Number.parseInt(version, 10);
      const framework = major < 5 ? `netcoreapp${version.split('.').slice(0, 2).join('.')}` : `net${major}.0`;
      run(['dotnet', 'build', `-p:TargetFramework=${framework}`, '-o', 'out'], folder);
      return ['dotnet', join(folder, 'out/license.dll')];
    },
  },
];

/** Runs a tool. @throws Error when it is missing or fails, with the cure where one is known */
function run(words: readonly string[], cwd: string, cure = ''): string {
  const [tool = '', ...args] = words;
  const ran = spawnSync(tool, args, { cwd, encoding: 'utf8' });
  if (ran.error) throw new Error(`${tool} is not on PATH`);
  if (ran.status === 0) return ran.stdout;
  const said = `${ran.stderr}\n${ran.stdout}`.split('\n').filter((line) => /error/i.test(line));
  throw new Error(
    `${words.join(' ')} failed: ${said[0]?.trim() ?? `exit ${ran.status}`}${cure && ` (${cure})`}`,
  );
}

/**
 * Makes every example ready that this machine can run.
 *
 * @param folder holds a copy of each
 */
export function prepareExamples(folder: string): { ready: Example[]; missing: Unavailable[] } {
  const ready: Example[] = [];
  const missing: Unavailable[] = [];
  for (const { language } of toolchains) {
    try {
      ready.push(prepareExample(folder, language));
    } catch (error) {
      missing.push({ language, reason: (error as Error).message });
    }
  }
  return { ready, missing };
}

/**
 * @param change what is done to its copy before it is built
 * @throws Error with the reason why it cannot run here
 */
export function prepareExample(folder: string, language: string, change?: (copy: string) => void): Example {
  const copy = join(folder, language);
  cpSync(join(EXAMPLES, language), copy, { recursive: true });
  change?.(copy);
  const toolchain = toolchains.find((one) => one.language === language);
  if (!toolchain) throw new Error(`there is no example in ${language}`);
  return { language, command: toolchain.prepare(copy) };
}

/** One call of an example: the word that it prints. Its settings travel in the environment. */
export function ask(
  { command: [tool = '', ...first] }: Example,
  words: readonly string[],
  settings: Readonly<Record<string, string>>,
): { said: string; status: number | null } {
  const own = Object.entries(settings).map(([name, value]) => [`LICENSE_${name}`, value]);
  const env = { ...process.env, ...Object.fromEntries(own) };
  const ran = spawnSync(tool, [...first, ...words], { env, encoding: 'utf8', timeout: 60_000 });
  return { said: ran.stdout.trim() || ran.stderr.trim(), status: ran.status };
}
