import { column } from '#kernel/db/column.ts';
import { record, type ValuesOf } from '#kernel/db/record.ts';
import { defineIds } from '#kernel/ids.ts';

export const blockIds = defineIds({ emailBlock: 'ebl' });

/** Another spelling of a mailbox is the same mailbox (storefront-domain 1). */
export const mailboxOf = (address: string): string => address.trim().toLowerCase();

/** An address that its mail server refused for good: nothing is sent to it until staff lift the block (decision 0087). */
export const blockRecord = record(
  'email_blocks',
  {
    id: column.id(blockIds.emailBlock),
    address: column.text(255, 3).personal((id) => `anon-${id}@invalid`),
    addressNorm: column
      .text(255)
      .personal()
      .from(({ address }: { address: string }) => mailboxOf(address)),
    /** What the server said. */
    reason: column.text(1000).personal(() => '-'),
    /** The mail that it refused. */
    emailId: column.text(30).nullable(),
    createdAt: column.time(),
    updatedAt: column.time(),
  },
  { natural: ['addressNorm'], whose: { email: 'addressNorm' }, kept: 'until staff lift the block' },
);
export type Block = ValuesOf<typeof blockRecord>;
