import { existsSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { maskUrlPassword } from '#kernel/config/mask.ts';
import { create, find } from '#licensing/catalog/products/index.ts';
import { createOwner } from '#platform/accounts/index.ts';
import { DEFAULT_TENANT_ID } from '#platform/tenants/index.ts';
import type { Instance } from '../../app/instance.ts';
import { serverAnswers } from '../../app/run-files.ts';
import { firstSteps } from '../first-steps.ts';
import type { Cli } from '../frame/context.ts';
import type { Paint } from '../frame/io.ts';
import { tryOutputs } from '../frame/output-file.ts';
import { wrappedTo } from '../frame/wrap.ts';
import { tryKeyFiles } from '../keys/key-outputs.ts';
import { withInstallation } from '../open.ts';
import { ownServer } from '../own-server.ts';
import { shellWord } from '../printed-text.ts';
import { type PlannedFile, planConfigFile } from './config-file.ts';
import { readGiven } from './given.ts';
import { confirmPlan, makePlan, type SetupPlan } from './plan.ts';
import type { SetupAnswer } from './schemas.ts';
import { configuredPassphrase, makeSigningKey } from './signing-key.ts';
import { enrollOwner } from './two-factor.ts';

type Made = Pick<SetupAnswer, 'owner' | 'product' | 'publicKey' | 'sampleProducts'>;

/** `appctl setup`: everything that can be refused is found out before the first change. */
export async function runSetup(cli: Cli): Promise<void> {
  const plan = await makePlan(cli, await readGiven(cli));
  const configFile = await planConfigFile(cli, plan);
  tryFiles(plan, configFile);
  await confirmPlan(cli, plan, summary(plan, configFile));
  const made = cli.dryRun ? rehearsed(plan) : await apply(cli, plan, configFile);
  const next = await nextCommands(plan);
  const secrets = !cli.dryRun && plan.owner?.generated ? { ownerPassword: plan.owner.password } : {};
  const answer = { ...answerOf(plan, made, configFile, secrets), next };
  await cli.out.value(cli.dryRun ? { ...answer, dryRun: true } : answer, (paint, width) =>
    describe(answer, plan, paint, width),
  );
  if (plan.twoFactor && made.owner.id !== null) await enrollOwner(cli, plan, made.owner.id);
  cli.next(...next);
  if (!cli.json && !cli.quiet && !cli.dryRun) await tellLaunch(cli, plan);
}

/** What customers would notice first. */
async function tellLaunch(cli: Cli, { configFlags }: SetupPlan): Promise<void> {
  cli.note('Checking what is left before a launch …');
  const { leftForLaunch } = await import('./launch.ts');
  const left = await leftForLaunch({ ...cli.configInput(), flags: configFlags });
  if (left.length === 0) return;
  cli.note('\nBefore you launch:');
  for (const line of left) cli.note(`  ${line}`);
  cli.next('appctl doctor --category launch');
}

/** A data directory that setup is going to make cannot be tried; it holds nothing that could be in the way either. */
function tryFiles({ signingKeyFile, force, loaded }: SetupPlan, configFile: PlannedFile | null): void {
  const { dataDir } = loaded.config;
  const canBeTried = (path: string) => existsSync(dataDir) || dirname(resolve(path)) !== resolve(dataDir);
  if (signingKeyFile !== null && canBeTried(signingKeyFile)) tryKeyFiles(signingKeyFile, force);
  if (configFile !== null && canBeTried(configFile.path))
    tryOutputs([{ path: configFile.path, force: true }]);
}

/** The owner comes last: when anything before fails, no generated password is lost. */
function apply(cli: Cli, plan: SetupPlan, configFile: PlannedFile | null): Promise<Made> {
  return withInstallation(
    cli,
    plan.loaded.config,
    async (instance) => {
      const product = plan.product && (await makeProduct(instance, plan.product));
      const publicKey = product && (await makeKey(cli, plan, instance, product));
      const sampleProducts = plan.sampleData ? await loadSample(cli, instance) : undefined;
      configFile?.write();
      const owner = await makeOwner(plan, instance);
      return { owner, product, publicKey, ...(sampleProducts !== undefined && { sampleProducts }) };
    },
    'prepare',
    { fresh: plan.fresh },
  );
}

async function makeProduct({ ctx }: Instance, asked: { slug: string; name: string }) {
  const { id, slug } = (await find(ctx, asked.slug)) ?? (await create(ctx, asked));
  return { id, slug };
}

async function makeKey(cli: Cli, plan: SetupPlan, { ctx }: Instance, product: { id: string; slug: string }) {
  const { signingKeyFile: path, force, loaded } = plan;
  if (path === null) return null;
  return makeSigningKey(cli, ctx, product, { path, force, passphrase: configuredPassphrase(loaded) });
}

/** What was loaded before it failed stays, and is not loaded again. */
async function loadSample(cli: Cli, { ctx }: Instance): Promise<number> {
  const { load, SAMPLE_PRODUCTS } = await import('#storefront/tools/sample/index.ts');
  const progress = await cli.progress('sample data', SAMPLE_PRODUCTS);
  try {
    return (await load(ctx.with({ tenantId: DEFAULT_TENANT_ID }), progress.update)).products;
  } finally {
    progress.stop();
  }
}

async function makeOwner(
  { owner, existing, force }: SetupPlan,
  { ctx }: Instance,
): Promise<SetupAnswer['owner']> {
  if (owner === null) return { id: existing?.id ?? null, email: existing?.email ?? '' };
  const { email, name, password } = owner;
  const made = await createOwner(ctx, { email, name, password, replace: force });
  return { id: made.id, email: made.email };
}

const rehearsed = ({ owner, existing, product, sampleData }: SetupPlan): Made => ({
  owner: { id: existing?.id ?? null, email: owner?.email ?? existing?.email ?? '' },
  product: product && { id: null, slug: product.slug },
  publicKey: null,
  ...(sampleData && { sampleProducts: 0 }),
});

function answerOf(
  plan: SetupPlan,
  made: Made,
  configFile: PlannedFile | null,
  secrets: SetupAnswer['secrets'],
) {
  const { config } = plan.loaded;
  const kind: 'sqlite' | 'postgres' = config.database.url.startsWith('sqlite:') ? 'sqlite' : 'postgres';
  return {
    configFile: configFile?.path ?? null,
    dataDir: config.dataDir,
    database: { kind, url: maskUrlPassword(config.database.url) },
    tenant: config.tenant,
    owner: made.owner,
    secrets,
    product: made.product,
    publicKey: made.publicKey,
    ...(made.sampleProducts !== undefined && { sampleProducts: made.sampleProducts }),
    privateKeyFile: plan.signingKeyFile,
  };
}

async function nextCommands({ loaded, product, writeConfig, sampleData }: SetupPlan): Promise<string[]> {
  const { config, entries } = loaded;
  const where = writeConfig === null ? config.dataDir : writeConfig;
  const flag = writeConfig === null ? '--data-dir' : '--config';
  const more =
    writeConfig !== null || entries.data_dir.source === 'flag' ? ` ${flag} ${shellWord(where)}` : '';
  const serverRuns = await serverAnswers(config);
  const origin = ownServer(config).url.origin;
  const steps = firstSteps({ slug: product?.slug ?? 'editor', hasProduct: product !== null, origin });
  return [
    ...(serverRuns ? [] : ['appctl serve']),
    ...steps,
    ...(sampleData ? [] : ['appctl setup --sample-data']),
  ].map((command) => command.replace(/\bappctl (?:[a-z]+ )*[a-z]+/, (words) => `${words}${more}`));
}

function summary(plan: SetupPlan, configFile: PlannedFile | null): string[] {
  const { config } = plan.loaded;
  const { owner, existing, product } = plan;
  return [
    `Data directory  ${config.dataDir}`,
    `Database        ${maskUrlPassword(config.database.url)}`,
    `Public address  ${plan.publicAddress}`,
    `Owner           ${owner?.email ?? `${existing?.email} (exists)`}`,
    ...(plan.twoFactor ? ['Two-factor      an authenticator app, in the last step'] : []),
    ...(product ? [`Product         ${product.name} (${product.slug})`] : []),
    ...(plan.signingKeyFile === null ? [] : [`Signing key     ${plan.signingKeyFile}`]),
    ...(plan.sampleData ? ['Shop            sample data'] : []),
    ...(configFile ? [`Configuration   ${configFile.path}`] : []),
  ];
}

function describe(
  answer: SetupAnswer,
  { owner, publicAddress }: SetupPlan,
  paint: Paint,
  width?: number,
): string {
  const at = (path: string) => new URL(path, publicAddress).href;
  const lines: [string, string | null | undefined][] = [
    ['Data', answer.dataDir],
    ['Database', answer.database.url],
    ['Config', answer.configFile],
    ['Owner', `${answer.owner.email}${owner === null ? ' (already exists)' : ''}`],
    ['Password', answer.secrets.ownerPassword && `${answer.secrets.ownerPassword}   shown once`],
    ['Product', answer.product?.slug],
    ['Sample data', answer.sampleProducts === undefined ? null : `${answer.sampleProducts} products`],
    ['Public key', answer.publicKey],
    ['Private key', answer.privateKeyFile],
    ['Shop', `${at('/shop/')}   fill it and open it in its panel: ${at('/store/')}`],
  ];
  return lines
    .filter(([, text]) => text)
    .map(([label, text]) => `${paint('dim', label.padEnd(12))} ${wrappedTo(width, String(text), 13)}`)
    .join('\n');
}
