import { z } from 'zod';
import { later } from '#kernel/sharing.ts';
import { AddressView, addressView } from '#storefront/contract/address.ts';
import type { CustomerAddress } from './record.ts';

/** An address of the book (storefront-api.md 2). */
export const CustomerAddressView = later(() =>
  z
    .object({
      id: z.string(),
      label: z.string().nullable(),
      ...AddressView.shape,
      is_default_shipping: z.boolean(),
      is_default_billing: z.boolean(),
    })
    .meta({ id: 'CustomerAddress' }),
);

export const customerAddressView = (one: CustomerAddress): z.output<typeof CustomerAddressView> => ({
  id: one.id,
  label: one.label,
  ...addressView(one),
  is_default_shipping: one.isDefaultShipping,
  is_default_billing: one.isDefaultBilling,
});
