import { testPage } from './run-page.ts';

testPage('move-licenses');
