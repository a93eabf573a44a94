import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { platform } from 'node:os';
import type { Config } from '#kernel/config/config.ts';
import type { Environment } from '#kernel/environment.ts';
import { findOwner, issueSetupLink } from '#platform/accounts/index.ts';
import { readServerFile, serverAnswers, writeRedirect } from '../../app/run-files.ts';
import type { Cli } from '../frame/context.ts';
import { CliError, conflictError } from '../frame/errors.ts';
import { exits } from '../frame/exits.ts';
import { withLocal } from '../open.ts';
import { askServer, atPath, ownServer } from '../own-server.ts';

/** The longest wait for an answer of the server on this machine. */
const ANSWER_MS = 10_000;
const PATHS = {
  home: '/',
  admin: '/admin/',
  shop: '/shop/',
  store: '/store/',
  help: '/help',
  docs: '/api/docs',
} as const;

/** `appctl open [PAGE]`. */
export async function openPage(cli: Cli): Promise<void> {
  const { config } = await cli.config();
  const server = readServerFile(config);
  if (server === null || !(await serverAnswers(config)))
    throw new CliError(exits.unreachable, 'NOT_RUNNING', 'no server is running on this data directory', {
      hint: 'start one with appctl serve',
    });
  const url = await addressOf(cli, server.url);
  const isWanted = !cli.flag('print') && !cli.json && !cli.noInput;
  const opened = isWanted && (await startBrowser(visibleOf(config, url), cli.io.env));
  await cli.out.value({ url, opened }, () => url);
  if (isWanted && !opened) cli.note('no browser could be started here: open this address yourself');
}

/** @throws CliError (5) for a setup that is over, and for a server that no browser reaches */
const addressOf = (cli: Cli, server: string): Promise<string> =>
  withLocal(cli, async ({ ctx }) => {
    // Where a server was told by a flag to listen elsewhere, only the installation knows.
    const base = ctx.baseUrl.startsWith('http') ? ctx.baseUrl : server;
    if (!base.startsWith('http'))
      throw conflictError(
        `the server listens only on ${server}, which a browser cannot open`,
        'set base_url in the configuration (APPCTL_BASE_URL)',
      );
    const page = cli.optionalArgument('page') as keyof typeof PATHS | 'setup' | undefined;
    if (page !== undefined && page !== 'setup') {
      await refuseMissing(cli, PATHS[page]);
      return `${base}${PATHS[page]}`;
    }
    if (!(await findOwner(ctx))) return (await issueSetupLink(ctx)).url;
    if (page === 'setup')
      throw conflictError('this installation already has an owner: setup is complete', 'appctl open admin');
    return `${base}${PATHS.admin}`;
  });

/** @throws CliError (5) for a page that this server does not have, as it was started */
async function refuseMissing(cli: Cli, path: string): Promise<void> {
  const { config } = await cli.config();
  const { status } = await askServer(atPath(ownServer(config), path), { timeoutMs: ANSWER_MS });
  if (status !== 404) return;
  throw path === PATHS.docs
    ? conflictError('a server in production does not show its API docs', 'appctl serve --dev')
    : conflictError(`this server has no page ${path}`, 'appctl config show');
}

/** Every user of this machine sees the words of a command: a link with a secret goes through a file of its owner. */
const visibleOf = (config: Config, url: string): string =>
  new URL(url).searchParams.has('token') ? writeRedirect(config, url) : url;

/** What brings an address to the browser of whoever sits at this machine, the best first; nothing where nobody does. */
function browsersOf(env: Environment): readonly (readonly string[])[] {
  const own = env.BROWSER ?? '';
  const asked = existsSync(own) ? [own] : own.split(/\s+/).filter((word) => word !== '');
  return [...(asked.length > 0 ? [asked] : []), ...systemBrowser(env)];
}

function systemBrowser(env: Environment): readonly (readonly string[])[] {
  if (platform() === 'darwin') return [['open']];
  if (platform() === 'win32') return [['explorer.exe']];
  return env.DISPLAY || env.WAYLAND_DISPLAY ? [['xdg-open']] : [];
}

async function startBrowser(address: string, env: Environment): Promise<boolean> {
  for (const [command = '', ...args] of browsersOf(env)) {
    const isPlaced = args.some((word) => word.includes('%s'));
    const words = isPlaced ? args.map((word) => word.replaceAll('%s', () => address)) : [...args, address];
    const child = spawn(command, words, { stdio: 'ignore', detached: true, env: { ...env } });
    try {
      await once(child, 'spawn');
    } catch {
      continue;
    }
    child.unref();
    return true;
  }
  return false;
}
