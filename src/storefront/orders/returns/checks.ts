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
    ...about(
      'the units that are requested to return are not those of open returns in',
      await listWrongAsked(ctx),
    ),
    ...about('the returned units do not match received returns in', await listWrongReturned(ctx)),
    ...about('the returned stock does not match what was restocked in', await listWrongStock(ctx)),
    ...about('the status does not match the outcome of', await listWrongStates(ctx)),
  ];
  return problems.length === 0
    ? ok('units, stock and money of all returns add up')
    : fail(problems.join('; '), 'restore a backup, and report this bug');
}

/** The invariants of returns (storefront-domain 10). */
export const returnChecks: readonly Check[] = [
  { id: 'store.returns', title: 'returns add up', isLong: 'daily', run: onSchema(returns) },
];
