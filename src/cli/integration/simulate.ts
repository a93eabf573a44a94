import type { z } from 'zod';
import type { SimulatedView } from '#licensing/purchases/inbox/view.ts';
import { at, type Desk, timeAt } from '../desk/desk.ts';
import { namingFlags } from '../flag-names.ts';
import type { Cli } from '../frame/context.ts';
import { usageError } from '../frame/errors.ts';
import { exits } from '../frame/exits.ts';
import { humanTime } from '../frame/times.ts';
import { oneLine } from '../printed-text.ts';
import { withInboundEvents } from './twin.ts';
import { mappingText, mappingView, seatsText } from './view.ts';

type Simulated = z.output<typeof SimulatedView>;

/**
 * What an event would come to.
 *
 * @param body of the event, as text
 * @throws VALIDATION_ERROR for what is no event; usage error (2) for what is not a JSON object
 */
export const simulated = (desk: Desk, config: string, body: string): Promise<Simulated> =>
  desk.post<Simulated>(at`integrations/${config}/simulate`, { payload: objectOf(body) });

function objectOf(text: string): object {
  try {
    const value: unknown = JSON.parse(text);
    if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value;
  } catch {
    // It is told below.
  }
  throw usageError('--file is not a JSON object with the name and id of an event from this processor');
}

/** `appctl integration simulate INTEGRATION --file F`: ends with 6 when the event would fail. */
export async function simulateIntegration(cli: Cli): Promise<number> {
  const payload = await cli.readText('--file', cli.required('file'));
  return withInboundEvents(cli, async (desk) => {
    const found = await namingFlags({ payload: '--file' }, () =>
      simulated(desk, cli.argument('integration'), payload),
    );
    const answer = { ...found, matched: found.matched.map(mappingView) };
    const { event, matched, unmapped, wouldCreate, status, reason, message } = answer;
    const nowMs = Date.parse(timeAt(desk));
    await cli.out.value(answer, (paint) =>
      [
        `${paint('dim', 'event   ')}  ${oneLine(event.name)} (${oneLine(event.id)})`,
        `${paint('dim', 'would be')}  ${[status, reason, message].filter((part) => part !== null).join(': ')}`,
        ...matched.map((mapping) => `${paint('dim', 'matched ')}  ${oneLine(mappingText(mapping))}`),
        ...unmapped.map((id) => `${paint('yellow', 'unmapped')}  ${oneLine(id)}`),
        ...wouldCreate.map((license) => `${paint('green', 'license ')}  ${licenseText(license, nowMs)}`),
      ].join('\n'),
    );
    return status === 'FAILED' ? refused(cli, reason) : exits.done;
  });
}

function refused(cli: Cli, reason: string | null): number {
  cli.warn(`this event would create no license (${reason})`);
  if (reason === 'UNMAPPED')
    cli.next(`appctl integration map ${cli.argument('integration')} --external PRODUCT_ID --product SLUG`);
  return exits.verificationFailed;
}

function licenseText(license: Simulated['wouldCreate'][number], nowMs: number): string {
  const { productSlug, type, tier, maxActivations, validUntil, customerEmail } = license;
  const end = validUntil === null ? 'never expires' : `until ${humanTime(validUntil, nowMs)}`;
  return oneLine(
    `${productSlug}: ${type}, ${tier}, ${seatsText(maxActivations)}, ${end}, for ${customerEmail}`,
  );
}
