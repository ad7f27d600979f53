// The style of a report page: light, dark and print.

export const STYLE = `
:root{color-scheme:light dark;--bg:#fff;--fg:#1c1f23;--dim:#5d6670;--grid:#e4e7eb;--line:#c7ccd1;--card:#f7f8fa;
--a:#1f6feb;--b:#b3261e;--c:#1a7f37;--d:#9a6700;--e:#8250df;--f:#0a7ea4;--good:#2da44e;--bad:#cf222e}
@media (prefers-color-scheme:dark){:root{--bg:#111418;--fg:#e6e9ec;--dim:#98a2ad;--grid:#262c33;--line:#3a424b;--card:#191e24;
--a:#58a6ff;--b:#ff7b72;--c:#56d364;--d:#d29922;--e:#bc8cff;--f:#56d4dd;--good:#3fb950;--bad:#f85149}}
*{box-sizing:border-box}
body{margin:0 auto;padding:16px;max-width:860px;background:var(--bg);color:var(--fg);font:15px/1.5 system-ui,sans-serif}
h1{font-size:22px;margin:0 0 4px}h2{font-size:17px;margin:0 0 8px}h3{font-size:14px;margin:16px 0 4px;color:var(--dim)}
h3.phase{font-size:15px;color:var(--fg);border-top:1px solid var(--grid);padding-top:10px;margin-top:20px}h4{font-size:13px;margin:12px 0 4px;color:var(--dim)}
section{margin:28px 0;break-inside:avoid-page}
.verdict{font-size:17px;margin:8px 0}.said{color:var(--dim);font-size:13px;margin:6px 0}
.tiles{display:grid;grid-template-columns:repeat(auto-fit,minmax(150px,1fr));gap:8px;margin:12px 0}
.tile{background:var(--card);border-radius:6px;padding:8px 10px}.tile b{display:block;font-size:17px}.tile i{font-style:normal;white-space:nowrap}.tile span{color:var(--dim);font-size:12px}
.scroll{overflow-x:auto;background:linear-gradient(to right,var(--bg) 30%,transparent) left/40px 100%,linear-gradient(to left,var(--bg) 30%,transparent) right/40px 100%,linear-gradient(to right,var(--grid),transparent) left/10px 100%,linear-gradient(to left,var(--grid),transparent) right/10px 100%;background-repeat:no-repeat;background-attachment:local,local,scroll,scroll}table{border-collapse:collapse;width:100%;font-size:13px}
th,td{padding:3px 8px;text-align:left;white-space:nowrap;border-bottom:1px solid var(--grid)}
.figures th,.figures td{white-space:normal;vertical-align:top}.figures th[scope=row]{font-weight:400;color:var(--dim)}.figures th.n{white-space:nowrap}
.n{text-align:right;font-variant-numeric:tabular-nums}.neg{color:var(--bad)}
th button{all:unset;cursor:pointer;font-weight:600}th button:focus-visible{outline:2px solid var(--a)}
details{margin:6px 0}summary{cursor:pointer}
.chart{width:100%;height:auto;display:block}.chart text{font:6px system-ui,sans-serif;fill:var(--dim)}
.chart .name{fill:var(--fg)}.grid,.zero,.gap{stroke:var(--grid);stroke-width:.5}.zero{stroke:var(--line)}.gap{stroke-dasharray:1 2;stroke:var(--line)}
.line{fill:none;stroke-width:1.5;vector-effect:non-scaling-stroke;stroke:currentColor}.band{opacity:.16;fill:currentColor}
.dot{fill:currentColor;stroke:var(--bg);stroke-width:.4}
.a{color:var(--a)}.b{color:var(--b)}.c{color:var(--c)}.d{color:var(--d)}.e{color:var(--e)}.f{color:var(--f)}.g{color:var(--dim)}
.bar.good{fill:var(--good)}.bar.bad{fill:var(--bad)}.bar.sum{fill:var(--a)}
.legend{margin:2px 0;font-size:13px}.legend span{margin-right:12px}.legend span::before{content:"";display:inline-block;width:14px;height:3px;margin-right:5px;vertical-align:middle;background:currentColor}
.csv{font-size:12px;color:var(--dim)}.zooms{cursor:ew-resize;touch-action:pan-y}
.switch{display:flex;flex-wrap:wrap;gap:4px 14px;align-items:center;border:1px solid var(--line);border-radius:6px;margin:12px 0;padding:6px 12px 8px}
.switch legend{font-size:12px;color:var(--dim);padding:0 4px}.switch label{display:inline-flex;gap:5px;align-items:center;padding:4px 0;cursor:pointer}
.switch[hidden],.choose[hidden]{display:none}
.choose{margin:6px 0 10px}.choose label{font-size:13px;color:var(--dim);display:flex;gap:8px;align-items:center}
.choose input,.choose select{font:inherit;font-size:14px;color:inherit;background:var(--card);border:1px solid var(--line);border-radius:4px;padding:4px 6px;min-width:0}
.choose input{flex:1}.choose select{width:100%;margin-top:6px}.choose .said{margin:2px 0}
.choose :focus-visible,.switch :focus-visible{outline:2px solid var(--a);outline-offset:1px}
nav{display:flex;flex-wrap:wrap;gap:2px 12px;font-size:13px;margin:8px 0}nav a{color:var(--a)}
@media (max-width:560px){.figures th,.figures td{padding:3px 4px}.chart text{font-size:11px}.mark.odd{display:none}
.cards thead tr{display:flex;flex-wrap:wrap;gap:0 12px}.cards th{border:0;padding:1px 0}
.cards tbody tr{display:grid;grid-template-columns:repeat(3,minmax(0,1fr));gap:2px 8px;padding:6px 0;border-bottom:1px solid var(--grid)}
.cards td{border:0;padding:0;text-align:left;white-space:normal;overflow-wrap:anywhere}.cards td:first-child{grid-column:1/-1;font-weight:600}
.cards td[data-name]::before{content:attr(data-name);display:block;color:var(--dim);font-size:11px}}
@media print{body{max-width:none;padding:0;font-size:11px}nav,.csv,.choose,.switch{display:none}section{break-inside:auto}h2,h3,h4,.legend,summary{break-after:avoid}
tr,.chart,.tile{break-inside:avoid}table{font-size:9px}th,td{padding:2px 4px}.scroll{overflow:visible}.tile b{font-size:13px}
:root{--bg:#fff;--fg:#000;--dim:#444;--grid:#ddd;--line:#999;--card:#f4f4f4}}
`;
