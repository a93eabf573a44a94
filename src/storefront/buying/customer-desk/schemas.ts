import { z } from 'zod';
import { email, flag, oneLine, optional, report, text } from '#kernel/http/fields.ts';
import { later } from '#kernel/sharing.ts';
import { MOST_NOTE } from '#storefront/people/customers/index.ts';

const orNull = <S extends z.ZodType>(schema: S) => schema.nullable().optional();
const line = (max: number) => text({ min: 1, max, trim: true, form: oneLine });
const id = () => text({ min: 1, max: 30 });
const reason = () => text({ min: 1, max: 500, trim: true });

/** Tags of one customer. */
export const MOST_TAGS = 50;
export const tag = () => line(50);
const tags = () => z.array(tag()).max(MOST_TAGS, `must have at most ${MOST_TAGS} entries`);

const changeable = () => ({
  firstName: orNull(line(100)),
  lastName: orNull(line(100)),
  phone: orNull(line(50)),
  locale: orNull(
    text({ max: 20, form: { pattern: /^[a-z]{2}(-[A-Z]{2})?$/, says: 'a language, such as de' } }),
  ),
  acceptsMarketing: optional(flag()),
  tags: optional(tags()),
  groupIds: optional(z.array(id()).max(100, 'must have at most 100 entries')),
  taxExempt: optional(flag()),
  taxId: orNull(line(50)),
});

/** Input that adds a customer with an account. */
export const CustomerCreate = later(() =>
  z.strictObject({
    email: email(),
    ...changeable(),
    sendInvite: optional(flag()),
  }),
);
export type CustomerCreateInput = z.output<typeof CustomerCreate>;

/** Input that changes a customer: absent leaves a field, null clears it. */
export const CustomerUpdate = later(() => z.strictObject({ email: optional(email()), ...changeable() }));
export type CustomerUpdateInput = z.output<typeof CustomerUpdate>;

export const Disabling = later(() => z.strictObject({ reason: optional(reason()) }));
export const Resetting = later(() => z.strictObject({ reason: reason() }));
export const Noting = later(() => z.strictObject({ body: text({ min: 1, max: MOST_NOTE, trim: true }) }));
export const Merging = later(() => z.strictObject({ sourceId: id() }));

const place = () => ({
  label: orNull(line(60)),
  firstName: orNull(line(100)),
  lastName: orNull(line(100)),
  company: orNull(line(200)),
  line2: orNull(line(200)),
  state: orNull(line(100)),
  postalCode: orNull(line(20)),
  phone: orNull(line(50)),
  isDefaultShipping: optional(flag()),
  isDefaultBilling: optional(flag()),
});

/** Input that adds an address to a customer; what else is required depends on the country. */
export const AddressCreate = later(() =>
  z.strictObject({
    ...place(),
    line1: line(200),
    city: line(100),
    country: text({ min: 2, max: 2 }),
  }),
);
/** Input that changes one: absent leaves a field, null clears it. */
export const AddressUpdate = later(() =>
  z.strictObject({
    ...place(),
    line1: optional(line(200)),
    city: optional(line(100)),
    country: optional(text({ min: 2, max: 2 })),
  }),
);

/** What becomes of the tags of many customers. */
export const Tagging = later(() =>
  z.strictObject({ add: optional(tags()), remove: optional(tags()) }).check((checked) => {
    const { add = [], remove = [] } = checked.value;
    if (add.length + remove.length === 0)
      report(checked, 'required', 'list tags to add or to remove', ['add']);
  }),
);
export type TaggingInput = z.output<typeof Tagging>;

/** The group without a rule that customers come into, or leave. */
export const Grouping = later(() => z.strictObject({ groupId: id() }));
