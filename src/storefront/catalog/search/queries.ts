import type { Ctx } from '#kernel/context.ts';
import { whereListed } from '#kernel/db/dialect.ts';
import { finder, prober, type Wanted } from '#kernel/db/full-text.ts';
import { statement } from '#kernel/db/statement.ts';
import { mediaRecord } from '#platform/media/index.ts';
import { productMediaRecord, shopProductRecord } from '../products/index.ts';
import { productTerms } from './index-terms.ts';
import { productSearchRecord, searchGramRecord, searchWordRecord } from './record.ts';

const PRODUCTS = shopProductRecord.table;
const INDEX = productSearchRecord.table;

const versions = statement<Record<never, never>, { id: string; version: number }>((q) =>
  q(shopProductRecord.table).select('id', 'version'),
);
const pictures = statement<Record<never, never>, { product_id: string; versions: number | string }>((q) =>
  q({ l: productMediaRecord.table })
    .join({ m: mediaRecord.table }, 'm.id', 'l.media_id')
    .groupBy('l.product_id')
    .select('l.product_id')
    .sum({ versions: 'm.version' }),
);

/** Every product with what tells its states apart: its version, and those of its pictures. */
export async function listStates({ db }: Ctx): Promise<Map<string, string>> {
  const states = new Map((await versions.all(db, {})).map(({ id, version }) => [id, String(version)]));
  for (const { product_id: id, versions } of await pictures.all(db, {}))
    states.set(id, `${states.get(id)} ${versions}`);
  return states;
}

/** Products of one transaction. */
const UNINDEXED_AT_ONCE = 50;

type State = { id: string; status: string | null };

const unindexed = statement<{ form: number }, State>((q, p) =>
  q({ p: PRODUCTS })
    .leftJoin({ s: INDEX }, 's.product_id', 'p.id')
    .where('p.status', 'active')
    .where((any) => {
      any.whereNull('s.product_id').orWhere('s.version', '<>', q.ref('p.version'));
      any.orWhere('s.form', '<>', p('form'));
    })
    .limit(UNINDEXED_AT_ONCE)
    .select('p.id', 'p.status'),
);
const outdated = statement<Record<never, never>, State>((q) =>
  q({ s: INDEX })
    .leftJoin({ p: PRODUCTS }, 'p.id', 's.product_id')
    .where((any) => void any.whereNull('p.id').orWhere('p.status', '<>', 'active'))
    .limit(UNINDEXED_AT_ONCE)
    .select('p.status', { id: 's.product_id' }),
);

/** Some of the products that the index has not as they are, and of those that it should not have. @param form of today's index */
export async function listUnindexed({ db }: Ctx, form: number): Promise<{ id: string; isShown: boolean }[]> {
  const rows = [...(await unindexed.all(db, { form })), ...(await outdated.all(db, {}))];
  return rows.map(({ id, status }) => ({ id, isShown: status === 'active' }));
}

const levels = ['exact', 'title', 'names', 'everything'] as const;
const byLevels = finder(productTerms, levels);
const byNames = finder(productTerms, ['names']);
const hasAnywhere = prober(productTerms, 'everything');

/** Ids of products: by one term that says all, and by words in titles, in names and everywhere. */
export const findByLevels = ({ db }: Ctx, whole: Wanted, words: Wanted): Promise<string[][]> =>
  byLevels(db, [whole, words, words, words]);

/** Ids of products that have words in what they are called. */
export const findByNames = async ({ db }: Ctx, words: Wanted): Promise<string[]> =>
  (await byNames(db, [words]))[0] ?? [];

/** Whether some product has words anywhere. */
export const isFound = ({ db }: Ctx, words: Wanted): Promise<boolean> => hasAnywhere(db, words);

/** A word that products are called by. */
export interface KnownWord {
  readonly word: string;
  readonly spelling: string;
  readonly uses: number;
}
interface WordRow {
  word: string;
  spelling: string;
  uses: number | string;
}

/** Words that are compared with what somebody wrote. */
const MOST_SIMILAR = 200;

const similarWords = statement<{ grams: string; least: number; most: number }, WordRow>((q, p) =>
  q({ g: searchGramRecord.table })
    .join({ w: searchWordRecord.table }, 'w.word', 'g.word')
    .where((any) => whereListed(any, 'g.gram', p('grams')))
    .whereRaw('length(w.word) BETWEEN ? AND ?', [p('least'), p('most')])
    .groupBy('w.word', 'w.spelling', 'w.uses')
    .orderByRaw('count(*) DESC, w.uses DESC, w.word')
    .limit(MOST_SIMILAR)
    .select('w.word', 'w.spelling', 'w.uses'),
);

/** Words that share the most with some characters. @param least and `most`: numbers of their letters */
export async function listSimilarWords(
  { db }: Ctx,
  grams: readonly string[],
  [least, most]: readonly [number, number],
): Promise<KnownWord[]> {
  const rows = await similarWords.all(db, { grams: JSON.stringify(grams), least, most });
  return rows.map((row) => ({ ...row, uses: Number(row.uses) }));
}
