import type { Ctx } from '#kernel/context.ts';
import { statement } from '#kernel/db/statement.ts';

const sold = statement<{ license: string }, { variant_id: string | null }>((q, p) =>
  q('license_mints as m')
    .joinRaw('join order_items as i on i.id = m.order_item_id')
    .joinRaw('join product_variants as v on v.id = i.variant_id')
    .joinRaw('join products as p on p.id = v.product_id')
    .where('m.license_id', p('license'))
    .whereNull('v.deleted_at')
    .where('p.status', 'active')
    .select('i.variant_id'),
);

/** The variant that a license was bought as; null when it was not bought here, or is not for sale any more. */
export async function soldAs({ db }: Ctx, licenseId: string): Promise<string | null> {
  return (await sold.first(db, { license: licenseId }))?.variant_id ?? null;
}
