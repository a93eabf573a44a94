import type { Query } from '../desk/desk.ts';
import type { Cli } from '../frame/context.ts';
import { pastAsked, timeAsked } from '../time-asked.ts';

/** `products`, `prd_…` or `products/prd_…`: names of resources are of small letters and dashes alone. */
function targetAsked(text: string): Query {
  const [type, ...id] = text.split('/');
  if (id.length > 0) return { targetType: type, targetId: id.join('/') };
  return /^[a-z-]+$/.test(text) ? { targetType: text } : { targetId: text };
}

/** What the options of a list ask for. @param now ISO 8601 UTC */
export function filterAsked(cli: Cli, now: string): Query {
  const target = cli.option('target');
  return {
    actor: cli.option('actor'),
    action: cli.option('action'),
    ...(target !== undefined && targetAsked(target)),
    via: cli.option('via'),
    requestId: cli.option('request'),
    from: pastAsked(cli, 'since', now, 'start'),
    to: timeAsked(cli, 'until', 'end'),
    q: cli.option('search'),
  };
}
