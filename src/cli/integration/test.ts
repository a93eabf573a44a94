import { systemClock } from '#kernel/clock.ts';
import type { Config } from '#kernel/config/config.ts';
import type { Ctx } from '#kernel/context.ts';
import * as licenses from '#licensing/licenses/licenses/index.ts';
import { type SignedSample, signedSample } from '#licensing/purchases/inbox/index.ts';
import { endpointPath } from '#licensing/purchases/integrations/index.ts';
import { card } from '../card.ts';
import type { Cli } from '../frame/context.ts';
import { CliError } from '../frame/errors.ts';
import { exits } from '../frame/exits.ts';
import { withLocal } from '../open.ts';
import { askServer, atPath, ownServer } from '../own-server.ts';
import { publicBase } from './address.ts';

const DEFAULT_TIMEOUT_SECONDS = 10;
/** More than one purchase of one product can make. */
const MOST_LICENSES = 100;

/** What the own server answered. */
interface Answered {
  status: number;
  ms: number;
  body: Record<string, unknown> | null;
}

interface CreatedLicense {
  id: string;
  product: string;
  type: string;
  tier: string;
  maxActivations: number;
  validUntil: string | null;
}

/** `appctl integration test INTEGRATION`: ends with 6 when the own server refuses the purchase. */
export const testIntegration = (cli: Cli): Promise<number> =>
  withLocal(cli, async ({ ctx, config }) => {
    const [externalProductId, email] = [cli.option('external'), cli.option('email') ?? ''];
    const wish = { externalProductId, email, baseUrl: publicBase(config) };
    const sample = await signedSample(ctx, cli.argument('integration'), wish);
    if (cli.dryRun) return plan(cli, sample);
    const response = await send(cli, config, sample);
    const licensesCreated = await createdBy(ctx, sample.orderId);
    await cli.out.value({ response, licensesCreated }, card(lines(sample, response, licensesCreated)));
    return judge(cli, sample, response, licensesCreated);
  });

async function plan(cli: Cli, { externalProductId, body }: SignedSample): Promise<number> {
  const event: unknown = JSON.parse(body.toString('utf8'));
  await cli.out.value(
    { response: null, licensesCreated: [], event, dryRun: true },
    () => `would send a purchase of ${externalProductId}:\n${JSON.stringify(event, null, 2)}`,
  );
  return exits.done;
}

async function send(cli: Cli, config: Config, { configId, body, headers }: SignedSample): Promise<Answered> {
  const server = atPath(ownServer(config), endpointPath(configId));
  const timeoutMs = (cli.timeoutSeconds ?? DEFAULT_TIMEOUT_SECONDS) * 1000;
  const started = systemClock.monotonicMs();
  try {
    const { status, text } = await askServer(server, {
      method: 'POST',
      headers: { ...headers, 'Content-Type': 'application/json', 'Content-Length': String(body.length) },
      body,
      timeoutMs,
    });
    return { status, ms: Math.round(systemClock.monotonicMs() - started), body: objectIn(text) };
  } catch (error) {
    const where = server.socketPath ?? server.url.origin;
    throw new CliError(exits.unreachable, 'SERVER_UNREACHABLE', `${where}: ${(error as Error).message}`, {
      hint: 'the test goes to the own server: start it with appctl serve',
    });
  }
}

function objectIn(text: string): Record<string, unknown> | null {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : null;
  } catch {
    return null;
  }
}

async function createdBy(ctx: Ctx, orderId: string): Promise<CreatedLicense[]> {
  const { items } = await licenses.licenseRows.page(ctx, {
    filters: { orderId },
    offset: 0,
    limit: MOST_LICENSES,
  });
  return items.map((license) => ({
    id: license.id,
    product: license.productSlug,
    type: license.type,
    tier: license.tier,
    maxActivations: license.maxActivations,
    validUntil: license.validUntil,
  }));
}

function lines(
  { externalProductId, orderId }: SignedSample,
  { status, ms, body }: Answered,
  created: readonly CreatedLicense[],
): [string, unknown][] {
  return [
    ['sent', `a purchase of ${externalProductId}, order ${orderId}`],
    ['answer', `${status} in ${ms} ms: ${JSON.stringify(body)}`],
    ...created.map(({ id, product, type, tier }): [string, string] => [
      'license',
      `${id} (${product}, ${type}, ${tier})`,
    ]),
  ];
}

function judge(
  cli: Cli,
  { configId }: SignedSample,
  { status, body }: Answered,
  created: readonly CreatedLicense[],
): number {
  if (status === 200 && body?.success === true && created.length > 0) {
    if (!cli.json)
      cli.note('The purchase came through. Its licenses are real; trash them when they are not needed.');
    cli.next(`appctl license delete ${created[0]?.id} --yes`);
    return exits.done;
  }
  const error = body?.error as { message?: unknown } | undefined;
  const why =
    body?.success === true
      ? 'it was taken and not processed yet'
      : String(error?.message ?? body?.reason ?? status);
  cli.warn(`the purchase made no license: ${why}`);
  cli.next(`appctl integration events ${configId}`);
  return exits.verificationFailed;
}
