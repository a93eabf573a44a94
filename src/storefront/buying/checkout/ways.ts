import type { Ctx } from '#kernel/context.ts';
import type { WaysOf } from './types.ts';

/** Where shoppers come back to from a processor. @param lang of the pages that they were on */
export const waysOf =
  ({ baseUrl }: Pick<Ctx, 'baseUrl'>, lang?: string): WaysOf =>
  ({ orderNumber, processor }) => {
    const query = new URLSearchParams({ order: String(orderNumber), ...(lang !== undefined && { lang }) });
    const returnUrl = `${baseUrl}/shop/checkout/return/${processor}?${query}`;
    return { returnUrl, cancelUrl: `${returnUrl}&cancelled=1` };
  };
