import { type Check, type Finding, ok, onConfig, onSchema, warn } from '#kernel/check.ts';
import type { Ctx } from '#kernel/context.ts';
import * as settings from '#platform/settings/index.ts';
import { isOffered, isProcessorId } from '#storefront/contract/payment-settings.ts';
import { storeOpen } from '#storefront/contract/settings.ts';
import { activeProcessors, enabledIds, missingFields, processors } from './registry.ts';

/** What hinders the processors that are put to use, in the order of the settings. */
function faultsOf(ctx: Ctx): string[] {
  return enabledIds(ctx).flatMap((id) => {
    const processor = processors(ctx).find((one) => one.id === id);
    if (!processor)
      return isProcessorId(id) && !isOffered(id, ctx) ? [`${id} is offered with --dev only`] : [];
    const missing = missingFields(ctx, processor).map(({ setting }) => setting.key);
    return missing.length === 0
      ? []
      : [`${id} cannot take payments: ${missing.join(', ')} ${missing.length === 1 ? 'is' : 'are'} not set`];
  });
}

/** Shoppers of an open shop would find no way to pay. */
const withoutProcessor = (ctx: Ctx): Finding =>
  ctx.settings.get(storeOpen)
    ? warn(
        'the shop is open, but no payment processor is chosen: only free orders can be placed',
        `choose one on ${ctx.baseUrl}/store/settings/payment, or run: appctl settings set payment_processor offline`,
      )
    : ok('no payment processor is chosen: only free orders can be placed');

/** Processors that cannot tell the shop anything: it hears of payments when it asks, and of disputes never. */
const silentOnes = (ctx: Ctx): string[] =>
  activeProcessors(ctx).flatMap(({ fields }) =>
    fields
      .filter(({ required, setting }) => !required && ctx.settings.get(setting) === null)
      .map(({ setting }) => setting.key),
  );

export const processorChecks: readonly Check[] = [
  {
    id: 'store.payment-processor',
    title: 'payment processors',
    launch: 'Choose how customers pay',
    run: onSchema(async (ctx) => {
      await settings.refresh(ctx);
      const ids = enabledIds(ctx);
      if (ids.length === 0) return withoutProcessor(ctx);
      const faults = faultsOf(ctx);
      const [silent] = silentOnes(ctx);
      if (faults.length === 0 && silent !== undefined)
        return warn(
          `payments are processed by ${ids.join(', ')}, but their notifications are refused: ${silent} is not set`,
          `register the address that ${ctx.baseUrl}/store/settings/payment shows, and fill in the field`,
        );
      if (faults.length === 0) return ok(`payments are processed by ${ids.join(', ')}`);
      return warn(
        faults.join('; '),
        `fill in the fields on ${ctx.baseUrl}/store/settings/payment, or run: appctl settings set KEY VALUE`,
      );
    }),
  },
  {
    id: 'store.processor-address',
    title: 'payment processor addresses',
    run: onConfig(({ processorUrls }) => {
      const [first] = processorUrls.keys();
      if (first === undefined) return ok('payments go to the processors themselves');
      const told = [...processorUrls].map(([id, url]) => `payments by ${id} go to ${url}`).join('; ');
      return warn(
        `${told}: nobody is charged there`,
        `unset APPCTL_${first.toUpperCase()}_API_URL, or remove processors.${first}.url from the config file`,
      );
    }),
  },
];
