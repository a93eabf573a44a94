import { existsSync } from 'node:fs';
import { type LoadedConfig, loadConfig } from '#kernel/config/load.ts';
import type { ConfigFlags } from '#kernel/config/sources.ts';
import type { SettingsReader } from '#kernel/settings-reader.ts';
import { type AdminUser, emailFault, findOwner } from '#platform/accounts/index.ts';
import { readServedAt, refuseLeftBehind } from '#platform/installation/index.ts';
import { generatePassword, newPasswordFault } from '#platform/passwords/index.ts';
import type { Cli } from '../frame/context.ts';
import { CliError, conflictError, usageError } from '../frame/errors.ts';
import { exits } from '../frame/exits.ts';
import { createStdinReader, readSecret } from '../frame/secrets.ts';
import { withInstallation } from '../open.ts';
import type { Given } from './given.ts';
import { askForDatabase, askForProduct, askForSampleData } from './questions.ts';

/** Everything that setup is going to do. */
export interface SetupPlan {
  readonly loaded: LoadedConfig;
  readonly configFlags: ConfigFlags;
  /** What links begin with: as configured, else as the last server was reached. */
  readonly publicAddress: string;
  /** The owner that is there already. */
  readonly existing: AdminUser | null;
  /** The owner to make, or to replace with --force; null: it stays as it is. */
  readonly owner: { email: string; name: string; password: string; generated: boolean } | null;
  /** Whether the owner sets up an authenticator app once the account is there; only on a terminal. */
  readonly twoFactor: boolean;
  readonly product: { slug: string; name: string } | null;
  readonly signingKeyFile: string | null;
  /** The shop is filled with sample data. */
  readonly sampleData: boolean;
  readonly writeConfig: string | null;
  readonly force: boolean;
  /** Begins with an empty database although the data directory belongs to an installation. */
  readonly fresh: boolean;
}

/**
 * Finds out what to do, by flags, answers file and questions; writes nothing.
 *
 * @throws usage error (2) for what is missing, CliError (5) for an owner that exists, DatabaseUnavailable (9)
 */
export async function makePlan(cli: Cli, given: Given): Promise<SetupPlan> {
  const configFlags = cli.ask.possible ? await askForDatabase(cli, given.configFlags) : given.configFlags;
  const loaded = await loadConfig({ ...cli.configInput(), flags: configFlags });
  for (const { key, message, hint } of loaded.warnings) cli.warn(`${key}: ${message} (${hint})`);
  const fresh = given.flag('fresh');
  const { existing, settings, servedAt } = await inspect(cli, loaded, fresh);
  const force = given.flag('force');
  const rules = { settings, serviceName: loaded.config.serviceName };
  const owner = await planOwner(cli, given, existing, { force, rules });
  const twoFactor = owner !== null && existing === null && (await planTwoFactor(cli));
  const product = await planProduct(cli, given);
  const signingKeyFile = given.text('signing-key') ?? null;
  if (signingKeyFile !== null && product === null) throw usageError('--signing-key needs --product');
  const sampleData = given.flag('sample-data') || (existing === null && (await askForSampleData(cli)));
  const writeConfig = given.text('write-config') ?? null;
  return {
    loaded,
    configFlags,
    publicAddress: loaded.config.baseUrlIsSet ? loaded.config.baseUrl : (servedAt ?? loaded.config.baseUrl),
    existing,
    owner,
    twoFactor,
    product,
    signingKeyFile,
    sampleData,
    writeConfig,
    force,
    fresh,
  };
}

/** What is known of an installation before setup changes it. */
interface Found {
  readonly existing: AdminUser | null;
  readonly settings: SettingsReader;
  /** The address under which its last server was reached. */
  readonly servedAt: string | null;
}

/** A database that is missing, or that has no schema yet, has no owner. */
async function inspect(cli: Cli, { config }: LoadedConfig, fresh: boolean): Promise<Found> {
  const { url } = config.database;
  const settings: SettingsReader = { get: (setting) => setting.default, version: 0 };
  const nothing: Found = { existing: null, settings, servedAt: null };
  const refuse = async () => {
    if (!fresh) await refuseLeftBehind(config);
  };
  if (url.startsWith('sqlite:') && !existsSync(url.slice('sqlite:'.length))) {
    await refuse();
    return nothing;
  }
  return withInstallation(
    cli,
    config,
    async ({ ctx, migrator }) => {
      if ((await migrator.status()).applied.length > 0) {
        const servedAt = (await readServedAt(ctx))?.url ?? null;
        return { existing: await findOwner(ctx), settings: ctx.settings, servedAt };
      }
      await refuse();
      return nothing;
    },
    'inspect',
    { fresh },
  );
}

async function planOwner(
  cli: Cli,
  given: Given,
  existing: AdminUser | null,
  { force, rules }: { force: boolean; rules: PasswordRules },
): Promise<SetupPlan['owner']> {
  const asked = given.text('owner-email');
  if (existing && !force) {
    if (asked === undefined) return null;
    const hint =
      'leave out --owner-email to keep this owner, or add --force to set a new email address and password';
    throw conflictError(`an owner already exists (${existing.email})`, hint);
  }
  const fault = asked === undefined ? null : emailFault(asked.trim());
  if (fault !== null) throw usageError(`--owner-email: ${fault}`, 'write it as you@example.com');
  const email = asked ?? existing?.email ?? (await askForEmail(cli));
  const name = given.text('owner-name') ?? existing?.name ?? 'Owner';
  return { email, name, ...(await planPassword(cli, given, (text) => newPasswordFault(rules, text, email))) };
}

type PasswordRules = Parameters<typeof newPasswordFault>[0];

const askForEmail = (cli: Cli): Promise<string> =>
  cli.ask.text({
    flag: '--owner-email',
    message: "Owner's email address",
    check: (text) => emailFault(text.trim()) ?? true,
  });

/** @param faultOf what is wrong with a password, or null */
async function planPassword(
  cli: Cli,
  given: Given,
  faultOf: (password: string) => string | null,
): Promise<{ password: string; generated: boolean }> {
  const generated = () => ({ password: generatePassword(), generated: true });
  if (given.flag('generate-password')) return generated();
  const sources = { io: cli.io, prompts: cli.ask, readStdin: createStdinReader(cli.io) };
  const question = { label: 'owner password', repeat: true };
  const secret = await readSecret(given.secret('owner-password'), { ...question, optional: true }, sources);
  const fault = secret ? faultOf(secret.value) : null;
  if (fault !== null) throw usageError(fault);
  if (secret) return { password: secret.value, generated: false };
  if (!cli.ask.possible) {
    throw usageError(
      '--generate-password is required (no terminal to ask on)',
      'or --owner-password-file, -stdin, -env',
    );
  }
  const flag = '--generate-password';
  if (await cli.ask.yesNo({ flag, message: 'Generate a password for the owner?', default: true }))
    return generated();
  const password = await cli.ask.hidden({
    flag: '--owner-password-file',
    message: "Owner's password",
    repeat: true,
    check: (text) => faultOf(text) ?? true,
  });
  return { password, generated: false };
}

const planTwoFactor = async (cli: Cli): Promise<boolean> =>
  cli.ask.possible &&
  !cli.dryRun &&
  cli.ask.yesNo({ flag: '--no-input', message: 'Set up two-factor sign-in with an authenticator app?' });

async function planProduct(cli: Cli, given: Given): Promise<SetupPlan['product']> {
  const slug = given.text('product');
  const name = given.text('product-name');
  if (slug !== undefined) return { slug, name: name ?? slug };
  if (name !== undefined) throw usageError('--product-name needs --product');
  return cli.ask.possible ? askForProduct(cli) : null;
}

/** Shows the plan and asks; only on a terminal. @throws CliError (10) */
export async function confirmPlan(cli: Cli, plan: SetupPlan, lines: readonly string[]): Promise<void> {
  if (!cli.ask.possible || cli.dryRun || cli.flag('yes')) return;
  cli.note(['', ...lines, ''].join('\n'));
  const message = plan.owner || plan.product ? 'Apply?' : 'Nothing is missing. Apply anyway?';
  if (await cli.ask.yesNo({ flag: '--yes', message, default: true })) return;
  throw new CliError(exits.declined, 'DECLINED', 'declined; nothing was changed');
}
