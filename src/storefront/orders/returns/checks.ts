import { type Check, type Finding, fail, ok, onSchema } from '#kernel/check.ts';
import type { Ctx } from '#kernel/context.ts';
import { listWrongAsked, listWrongReturned, listWrongStates, listWrongStock } from './queries.ts';

const SHOWN = 5;
const about = (what: string, ids: readonly string[]): string[] =>
  ids.length === 0
    ? []
    : [`${what} ${ids.length <= SHOWN ? ids.join(', ') : `${ids.slice(0, SHOWN).join(', ')} and more`}`];

async function returns(ctx: Ctx): Promise<Finding> {
  const problems = [
    ...about('the units that are asked back are not those of open returns in', await listWrongAsked(ctx)),
    ...about('the returned units are not those of received returns in', await listWrongReturned(ctx)),
    ...about('the stock that came back is not what was restocked in', await listWrongStock(ctx)),
    ...about('the state does not match what became of', await listWrongStates(ctx)),
  ];
  return problems.length === 0
    ? ok('units, stock and money of all returns add up')
    : fail(problems.join('; '), 'restore a backup, and report it: this is an error of the program');
}

/** The invariants of returns (storefront-domain 10). */
export const returnChecks: readonly Check[] = [
  { id: 'store.returns', title: 'returns add up', isLong: 'daily', run: onSchema(returns) },
];
