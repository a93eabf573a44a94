import { loadConfig } from '#kernel/config/load.ts';
import { maskUrlPassword } from '#kernel/config/mask.ts';
import type { ConfigFlags } from '#kernel/config/sources.ts';
import { openDatabase } from '#kernel/db/connect.ts';
import { traceOfInstallation } from '#platform/installation/index.ts';
import type { Cli } from '../frame/context.ts';
import { slugProblem, slugProposed } from '../frame/values.ts';
import { folderProblem } from './folder.ts';

type Flags = Record<string, string | true>;

/**
 * Asks for data directory, database and public address, as far as flags do not say; the connection is tested. Of an
 * installation that is there all three are known.
 */
export async function askForDatabase(cli: Cli, given: ConfigFlags): Promise<ConfigFlags> {
  const flags: Flags = { ...given };
  const load = () => loadConfig({ ...cli.configInput(), flags });
  if (await isInstalled(cli, flags)) return flags;
  if (flags['--data-dir'] === undefined) {
    const { config, entries } = await load();
    const asked = await cli.ask.text({
      flag: '--data-dir',
      message: 'Data directory',
      default: config.dataDir,
      check: (text) => folderProblem(text) ?? true,
    });
    if (asked !== String(entries.data_dir.value)) flags['--data-dir'] = asked;
  }
  // The folder that was named may hold one.
  if (await isInstalled(cli, flags)) return flags;
  if (flags['--db'] === undefined) await askForUrl(cli, flags);
  if (flags['--base-url'] === undefined) {
    const { config } = await load();
    const asked = await cli.ask.text({
      flag: '--base-url',
      message: 'Public address',
      default: config.baseUrl,
      check: (text) => /^https?:\/\/[^/]+\/?$/.test(text) || 'an address such as https://license.example.com',
    });
    if (asked !== config.baseUrl) flags['--base-url'] = asked;
  }
  return flags;
}

async function isInstalled(cli: Cli, flags: ConfigFlags): Promise<boolean> {
  const { config } = await loadConfig({ ...cli.configInput(), flags });
  if (cli.flag('fresh') || traceOfInstallation(config) === null) return false;
  cli.note(
    `Using the installation in ${config.dataDir} with the database ${maskUrlPassword(config.database.url)}. For another one add --data-dir or --db.`,
  );
  return true;
}

async function askForUrl(cli: Cli, flags: Flags): Promise<void> {
  let typed: string | null = null;
  for (;;) {
    const { config } = await loadConfig({ ...cli.configInput(), flags });
    const preset = config.database.url;
    const asked = await cli.ask.text({
      flag: '--db',
      message: 'Database (sqlite:PATH or postgres://user:password@host/name)',
      // What could not be reached is corrected, not typed again.
      default: typed ?? preset,
      isEditable: typed !== null,
      check: (text) => addressProblem(text) ?? true,
    });
    if (asked !== preset) flags['--db'] = asked;
    const problem = await connectionProblem(cli, flags);
    if (problem === null) return;
    cli.warn(problem);
    typed = asked;
    delete flags['--db'];
  }
}

/** What is wrong with the address of a database at first sight. */
const addressProblem = (text: string): string | undefined =>
  /^(?:sqlite:.|postgres(?:ql)?:\/\/.)/.test(text)
    ? undefined
    : 'sqlite:PATH or postgres://user:password@host/name';

/** Null when the database answers; a SQLite file is made later. */
async function connectionProblem(cli: Cli, flags: ConfigFlags): Promise<string | null> {
  try {
    const { config } = await loadConfig({ ...cli.configInput(), flags });
    if (config.database.url.startsWith('sqlite:')) return null;
    const database = await openDatabase(config.database.url, {
      poolSize: 1,
      busyTimeoutMs: config.database.busyTimeoutMs,
      create: false,
      onError: () => undefined,
    });
    await database.close();
    return null;
  } catch (error) {
    return (error as Error).message;
  }
}

/** Offers a first license product. */
export async function askForProduct(cli: Cli): Promise<{ slug: string; name: string } | null> {
  const flag = '--product';
  const message = 'Create a first license product?';
  if (!(await cli.ask.yesNo({ flag, message, default: false }))) return null;
  const name = await cli.ask.text({ flag: '--product-name', message: 'Its name' });
  const proposed = slugProposed(name);
  const slug = await cli.ask.text({
    flag,
    message: 'Its slug',
    check: (text) => slugProblem(text) ?? true,
    ...(proposed !== '' && { default: proposed }),
  });
  return { slug, name };
}

/** Offers a shop that can be looked at before there are products. */
export const askForSampleData = async (cli: Cli): Promise<boolean> =>
  cli.ask.possible &&
  cli.ask.yesNo({ flag: '--sample-data', message: 'Fill the shop with sample data?', default: false });
