import type { CommandSpec, GroupSpec } from '../frame/spec.ts';
import { storeCustomerCommands, storeCustomerGroup } from './spec-customer.ts';
import { inventoryCommands, inventoryGroup } from './spec-inventory.ts';
import { orderCommands, orderGroup } from './spec-order.ts';
import { productCommands, sampleCommands, sampleGroup, storeProductGroup } from './spec-product.ts';
import { promotionCommands, promotionGroup } from './spec-promotion.ts';
import { reportCommands, reportGroup } from './spec-report.ts';
import { returnCommands, returnGroup } from './spec-return.ts';
import { transferCommands } from './spec-transfer.ts';
import { variantCommands, variantGroups } from './spec-variant.ts';

const storeGroup: GroupSpec = {
  path: 'store',
  summary: 'manage products, orders, returns, customers, promotions and stock of the shop',
};

export const groups: readonly GroupSpec[] = [
  storeGroup,
  storeProductGroup,
  ...variantGroups,
  orderGroup,
  returnGroup,
  storeCustomerGroup,
  promotionGroup,
  inventoryGroup,
  reportGroup,
  sampleGroup,
];

export const commands: readonly CommandSpec[] = [
  ...productCommands,
  ...variantCommands,
  ...orderCommands,
  ...returnCommands,
  ...storeCustomerCommands,
  ...promotionCommands,
  ...transferCommands,
  ...inventoryCommands,
  ...reportCommands,
  ...sampleCommands,
];
