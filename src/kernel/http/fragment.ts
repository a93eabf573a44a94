import type { Exchange } from './exchange.ts';

/** Whether the script of the shop asks: for what stands in the layout, of which it takes the parts that it needs. */
export const asksForParts = ({ req }: Pick<Exchange, 'req'>): boolean =>
  (req.headers.accept ?? '').includes('text/html;fragment=1');

/** Whether a script asks, and for less than a whole page: htmx in the panel, or that of the shop. */
export const isFragment = (exchange: Pick<Exchange, 'req'>): boolean => {
  const { headers } = exchange.req;
  return (headers['hx-request'] === 'true' && headers['hx-boosted'] !== 'true') || asksForParts(exchange);
};
