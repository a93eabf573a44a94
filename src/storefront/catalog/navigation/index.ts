export { get, type Menus, replace } from './navigation.ts';
export { type ShownItem, shownMenus } from './shop.ts';
