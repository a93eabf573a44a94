import { testPage } from './run-page.ts';

testPage('store-bundles');
