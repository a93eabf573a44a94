import { z } from 'zod';
import { oneOf } from '#kernel/http/fields.ts';
import { PRODUCT_STATUSES } from '#licensing/contract/enumerations.ts';
import { action, adminResource } from '#platform/admin/index.ts';
import * as products from './products.ts';
import { productRows } from './queries.ts';
import type { Product } from './record.ts';
import { ProductCreate, ProductUpdate } from './schemas.ts';
import { productScreen } from './screen.ts';
import { ProductView, productViews } from './view.ts';

const StatusBody = z.strictObject({ status: oneOf(PRODUCT_STATUSES) }).meta({ id: 'ProductStatusBody' });

/** What licenses are made for, for staff (licensing 4.2, Products). */
export const productResource = adminResource<Product, typeof ProductCreate, typeof ProductUpdate>({
  name: 'products',
  labels: { one: 'product', many: 'products' },
  about: 'What licenses are created for, and the keys that sign for it',
  needs: {
    read: 'licensing:read',
    write: 'licensing:write',
    remove: 'licensing:danger',
  },
  rows: productRows,
  get: products.get,
  create: {
    schema: ProductCreate,
    errors: ['NOT_FOUND', 'CONFLICT'],
    run: products.create,
  },
  edit: { schema: ProductUpdate, run: products.update },
  remove: {
    level: 'severe',
    summary: 'Delete a product without licenses, and its signing keys',
    run: products.remove,
  },
  actions: {
    status: action<Product, typeof StatusBody>({
      label: 'Change the status of',
      summary: 'Deprecate, discontinue or activate a product; its licenses continue to work',
      needs: 'licensing:write',
      level: 'mild',
      where: 'both',
      input: StatusBody,
      conditional: true,
      run: (ctx, id, { status }, how) => products.setStatus(ctx, id, status, how),
    }),
  },
  screen: productScreen,
  palette: { title: ({ name }) => name, hint: ({ slug }) => slug },
  apis: [
    {
      surface: 'license-admin',
      path: '/products',
      item: 'product',
      view: ProductView,
      toViews: productViews,
      brief: ({ id, name, slug }) => ({ id, name, slug }),
    },
  ],
});
