import { type SimulatedLicense, simulate } from '#licensing/purchases/inbox/index.ts';
import { namingFlags } from '../flag-names.ts';
import type { Cli } from '../frame/context.ts';
import { exits } from '../frame/exits.ts';
import { humanTime } from '../frame/times.ts';
import { oneLine } from '../one-line.ts';
import { withLocal } from '../open.ts';
import { mappingText, mappingView, seatsText } from './view.ts';

/** `appctl integration simulate INTEGRATION --file F`: ends with 6 when the event would fail. */
export async function simulateIntegration(cli: Cli): Promise<number> {
  const payload = await cli.readText('--file', cli.required('file'));
  return withLocal(cli, async ({ ctx }) => {
    const found = await namingFlags({ payload: '--file' }, () =>
      simulate(ctx, cli.argument('integration'), payload),
    );
    const answer = { ...found, matched: found.matched.map(mappingView) };
    const { event, matched, unmapped, wouldCreate, status, reason, message } = answer;
    const nowMs = Date.parse(ctx.now());
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
  cli.warn(`this event would make no license (${reason})`);
  if (reason === 'UNMAPPED')
    cli.next(`appctl integration map ${cli.argument('integration')} --external PRODUCT_ID --product SLUG`);
  return exits.verificationFailed;
}

function licenseText(license: SimulatedLicense, nowMs: number): string {
  const { productSlug, type, tier, maxActivations, validUntil, customerEmail } = license;
  const end = validUntil === null ? 'without an end' : `until ${humanTime(validUntil, nowMs)}`;
  return oneLine(
    `${productSlug}: ${type}, ${tier}, ${seatsText(maxActivations)}, ${end}, for ${customerEmail}`,
  );
}
