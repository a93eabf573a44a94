import { hostname } from 'node:os';
import { z } from 'zod';
import { AppError } from '#kernel/errors.ts';
import { card } from '../card.ts';
import type { Cli } from '../frame/context.ts';
import { CliError, notFoundError, usageError } from '../frame/errors.ts';
import { userName } from '../open.ts';
import { type Client, clientOf } from '../remote/client.ts';
import { profileIfKept, profileNameOf, requireProfileName, saveProfile } from '../remote/profiles.ts';
import { baseOf, requireSafe } from '../remote/server.ts';
import { endLogin } from './end.ts';

/** What the server gives for a password. */
const TokenMade = z.object({
  id: z.string().optional(),
  token: z.string(),
  expiresAt: z.string(),
  user: z.object({ email: z.string() }),
});

/** `appctl login URL`. */
export async function logIn(cli: Cli): Promise<void> {
  const { config } = await cli.config();
  if (cli.given('server')) throw usageError('--server cannot be used with login', 'appctl login URL');
  const base = addressOf(cli.argument('url'));
  requireSafe(base, config.insecureHttp, 'password');
  const profile = config.profile ?? profileNameOf(base);
  requireProfileName(profile);
  const ca = (await authorityAsked(cli)) ?? authorityKept(cli, profile, base);
  const client = await clientOf(cli, { base, ca }, {});
  // Nobody types a password for an address that leads nowhere.
  if (cli.ask.possible) await reach(client).catch(notTheRoot(base));
  const { token, expiresAt, user, id } = await signIn(cli, client).catch(notTheRoot(base));
  await endOlder(cli, profile);
  const server = base.href.replace(/\/$/, '');
  const file = saveProfile(cli.io.env, profile, {
    server: base.href,
    token,
    email: user.email,
    expiresAt,
    ca,
    ...(id !== undefined && { tokenId: id }),
  });
  const answer = { profile, server, email: user.email, expiresAt, file };
  await cli.out.value(
    answer,
    card([
      ['signed in', user.email],
      ['server', server],
      ['profile', profile],
      ['until', expiresAt],
    ]),
  );
  cli.next(`appctl whoami --profile ${profile}`);
}

/** The login that this one takes the place of would stay valid for its 30 days, and nobody could end it from here. */
async function endOlder(cli: Cli, profile: string): Promise<void> {
  const older = profileIfKept(cli.io.env, profile);
  if (older && (await endLogin(cli, older))) cli.note(`the earlier login of profile ${profile} has ended`);
}

/** @throws usage error (2) for what is no address of a server */
function addressOf(text: string): URL {
  const url = URL.canParse(text) ? new URL(text) : null;
  if (
    url !== null &&
    /^https?:$/.test(url.protocol) &&
    url.username === '' &&
    url.search === '' &&
    url.hash === ''
  )
    return baseOf(url.href);
  throw usageError(`"${text}" is not the address of a server`, 'appctl login https://licenses.example.com');
}

/** A server of appctl answers 404 here only for a tenant that it does not have, and says then what cures it. */
const notTheRoot =
  (base: URL) =>
  (error: unknown): never => {
    const isMissing =
      (error instanceof AppError && error.status === 404 && error.details.hint === undefined) ||
      (error instanceof CliError && error.details.status === 404);
    if (!isMissing) throw error;
    const hint =
      base.pathname === '/'
        ? 'check host and port: use the address of the panel, without /admin/'
        : `appctl login ${base.origin}`;
    throw notFoundError(`${base.href} is not the root of an appctl server`, hint);
  };

async function authorityAsked(cli: Cli): Promise<string | null> {
  const path = cli.option('ca-file');
  if (path === undefined) return null;
  const text = await cli.readText('--ca-file', path);
  if (text.includes('-----BEGIN CERTIFICATE-----')) return text;
  throw usageError(
    `--ca-file: ${path} contains no certificate`,
    'choose a file that begins with -----BEGIN CERTIFICATE-----',
  );
}

/** Who signs in again under the same name goes on to trust the authority of that server. */
function authorityKept(cli: Cli, profile: string, base: URL): string | null {
  const kept = profileIfKept(cli.io.env, profile);
  return kept?.base.href === base.href ? kept.ca : null;
}

/** @throws CliError (9) for a server that does not answer; what is said of an address that has no such page */
async function reach(client: Client): Promise<void> {
  try {
    await client.call({ method: 'GET', path: '/api/health' }, z.unknown());
  } catch (error) {
    // A server that is up but not well says so when it is asked for a token.
    if (!(error instanceof AppError) || error.status === 404) throw error;
  }
}

const askForEmail = (cli: Cli): Promise<string> =>
  cli.ask.text({
    flag: '--email',
    message: 'Email (email address of your account)',
    check: (text) => /^\S+@\S+$/.test(text.trim()) || `"${text}" is not a valid email address`,
  });

/** The code is asked for when the password was right and the account needs one. */
async function signIn(cli: Cli, client: Client): Promise<z.output<typeof TokenMade>> {
  const given = {
    email: cli.option('email') ?? (await askForEmail(cli)),
    password: (await cli.secret('password', { label: 'password' })).value,
    name: `${userName()}@${hostname()}`.slice(0, 100),
    code: cli.option('code'),
    recoveryCode: cli.option('recovery-code'),
  };
  const ask = async (body: object) =>
    (await client.call({ method: 'POST', path: 'admin/auth/token', body }, TokenMade)).body;
  try {
    return await ask(given);
  } catch (error) {
    if (!(error instanceof AppError) || error.details.reason !== 'TWO_FACTOR_REQUIRED') throw error;
    const code = await cli.ask.text({ flag: '--code', message: 'Code from the authenticator app' });
    return ask({ ...given, code: code.trim() });
  }
}
