import type { z } from 'zod';
import { systemClock } from '#kernel/clock.ts';
import type { AdminLicenseView } from '#licensing/licenses/licenses/view.ts';
import type { SampleView } from '#licensing/purchases/inbox/view.ts';
import { card } from '../card.ts';
import { at, type Desk } from '../desk/desk.ts';
import { namingFlags } from '../flag-names.ts';
import type { Cli } from '../frame/context.ts';
import { exits } from '../frame/exits.ts';
import type { DeskPage } from '../paging.ts';
import { sendSample } from './send.ts';
import { withSamples } from './twin.ts';

/** More than one purchase of one product can make. */
const MOST_LICENSES = 100;

type SignedSample = z.output<typeof SampleView>;

/** What the endpoint of the server answered. */
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

/** `appctl integration test INTEGRATION`: ends with 6 when the server refuses the purchase. */
export const testIntegration = (cli: Cli): Promise<number> =>
  withSamples(cli, async (desk) => {
    const wish = { externalProductId: cli.option('external'), email: cli.option('email') ?? '' };
    const flags = { externalProductId: '--external', email: '--email' };
    const sample = await namingFlags(flags, () =>
      desk.post<SignedSample>(at`integrations/${cli.argument('integration')}/sample`, wish),
    );
    if (cli.dryRun) return plan(cli, sample);
    const response = await send(cli, sample);
    const licensesCreated = await createdBy(desk, sample.orderId);
    await cli.out.value({ response, licensesCreated }, card(lines(sample, response, licensesCreated)));
    return judge(cli, sample, response, licensesCreated);
  });

async function plan(cli: Cli, { externalProductId, body }: SignedSample): Promise<number> {
  const event: unknown = JSON.parse(body);
  await cli.out.value(
    { response: null, licensesCreated: [], event, dryRun: true },
    () => `would send a purchase of ${externalProductId}:\n${JSON.stringify(event, null, 2)}`,
  );
  return exits.done;
}

async function send(cli: Cli, sample: SignedSample): Promise<Answered> {
  const started = systemClock.monotonicMs();
  const { status, text } = await sendSample(cli, sample);
  return { status, ms: Math.round(systemClock.monotonicMs() - started), body: objectIn(text) };
}

function objectIn(text: string): Record<string, unknown> | null {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : null;
  } catch {
    return null;
  }
}

async function createdBy(desk: Desk, orderId: string): Promise<CreatedLicense[]> {
  const query = { orderId, limit: MOST_LICENSES };
  const { items } = await desk.get<DeskPage<AdminLicenseView>>('licenses', query);
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
      cli.note('The purchase went through. Its licenses are real; delete them if you do not need them.');
    cli.next(`appctl license delete ${created[0]?.id} --yes`);
    return exits.done;
  }
  const error = body?.error as { message?: unknown } | undefined;
  const why =
    body?.success === true
      ? 'it was accepted but not processed yet'
      : String(error?.message ?? body?.reason ?? status);
  cli.warn(`the purchase created no license: ${why}`);
  cli.next(`appctl integration events ${configId}`);
  return exits.verificationFailed;
}
