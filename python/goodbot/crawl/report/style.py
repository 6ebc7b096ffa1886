"""The style sheet of a report, for light and dark mode.

Scope: one style sheet. Nothing is distinguished by hue alone: lightness and shapes differ too.
"""

__all__ = ["STYLE"]

STYLE = """
:root{color-scheme:light dark;--paper:#fbfaf8;--card:#fff;--ink:#1d2126;--faint:#5c6570;
--rule:#e3e0da;--rail:#f0eeea;--page:#1b62b5;--file:#7a4fb3;--asked:#b4560a;--zone:#b4560a1c;
--early:#b3131d;--good:#14694a;--good-paper:#e3f3eb;--bad-paper:#fbe4e4;--done:#1f7f63;
--moved:#6a8caf;--no:#c2571a;--part:#dca531;--lost:#a8202b;--out:#8a8f96;--wait:#a9b0b8}
@media (prefers-color-scheme:dark){:root{--paper:#14171a;--card:#1b1f24;--ink:#e7e9ec;
--faint:#a2abb6;--rule:#30363d;--rail:#262b31;--page:#6cb0ff;--file:#c3a1f5;--asked:#f0a35b;
--zone:#f0a35b24;--early:#ff7b80;--good:#7fdcb3;--good-paper:#173629;--bad-paper:#44191c;
--done:#4fbf99;--moved:#7f9fbf;--no:#f08a4b;--part:#e8c46a;--lost:#f0646c;--out:#7d858e;
--wait:#4b535c}}
*{box-sizing:border-box}
body{margin:0;background:var(--paper);color:var(--ink);font:16px/1.5 system-ui,-apple-system,
"Segoe UI",Roboto,sans-serif}
main{max-width:70rem;margin:0 auto;padding:2rem 1.25rem 4rem}
h1{font-size:1.7rem;line-height:1.2;margin:0 0 1rem;overflow-wrap:anywhere}
h2{font-size:1.25rem;margin:0 0 .5rem}
h3{font-size:.95rem;margin:0;overflow-wrap:anywhere;font-weight:600}
p{margin:.5rem 0;max-width:48rem}
section,header{margin:0 0 2.75rem}
.verdict{font-size:1.1rem;font-weight:600;padding:.6rem .9rem;border-radius:.5rem;max-width:none;
border-left:.3rem solid}
.good{color:var(--good);background:var(--good-paper)}
.bad{color:var(--early);background:var(--bad-paper)}
.tiles{display:grid;grid-template-columns:repeat(auto-fit,minmax(7.5rem,1fr));gap:.75rem;
margin:1.25rem 0 0}
.tiles div{background:var(--card);border:1px solid var(--rule);border-radius:.5rem;
padding:.6rem .8rem;display:flex;flex-direction:column}
.tiles dd{margin:0;font-size:1.5rem;font-weight:600;font-variant-numeric:tabular-nums}
.tiles dt{color:var(--faint);font-size:.85rem}
.panels{display:grid;grid-template-columns:repeat(auto-fit,minmax(min(100%,26rem),1fr));gap:1rem}
figure{margin:.75rem 0;background:var(--card);border:1px solid var(--rule);border-radius:.5rem;
padding:.9rem 1rem}
.panels figure{margin:0;display:flex;flex-direction:column;justify-content:space-between}
figcaption p{font-size:.85rem;color:var(--faint);margin:.15rem 0 .6rem}
.plot{display:block;width:100%;overflow:visible;font-size:13px}
.panels .plot{width:calc(100% - 4rem);margin-left:3.6rem;font-size:12px}
.plot text{fill:var(--ink)}
.plot .faint{fill:var(--faint)}
.plot .end{text-anchor:end}
.plot .middle{text-anchor:middle}
.mark{overflow:visible}
.grid{stroke:var(--rule)}
.axis{stroke:var(--faint);stroke-opacity:.6}
.asked{stroke:var(--asked);stroke-width:2}
.early-zone{fill:var(--zone)}
.page{fill:var(--page);fill-opacity:.85;stroke:var(--card);stroke-width:.75}
.robots-txt{fill:var(--card);stroke:var(--file);stroke-width:2}
.early{fill:var(--early);stroke:var(--card)}
.rail{fill:var(--rail)}
.done,.whole{fill:var(--done);background:var(--done)}
.redirected{fill:var(--moved)}
.partly{fill:var(--part);background:var(--part)}
.disallowed{fill:var(--no);background:var(--no)}
.failed{fill:var(--lost)}
.skipped,.other{fill:var(--out)}
.queued,.leased{fill:var(--wait)}
.legend{display:flex;flex-wrap:wrap;gap:.3rem 1.2rem;font-size:.85rem;color:var(--faint);
max-width:none}
.legend span{display:inline-flex;align-items:center;gap:.4rem}
.legend svg{overflow:visible;flex:none}
.legend i{width:.9rem;height:.9rem;border-radius:.15rem}
details{margin:.75rem 0}
summary{cursor:pointer;color:var(--faint);font-size:.9rem}
.wide{overflow-x:auto}
table{border-collapse:collapse;font-size:.88rem;margin:.5rem 0;min-width:min(100%,30rem)}
th,td{text-align:left;padding:.35rem .7rem;border-bottom:1px solid var(--rule);vertical-align:top;
overflow-wrap:anywhere}
th{color:var(--faint);font-weight:600;white-space:nowrap}
td:not(.number){min-width:7rem}
td:first-child{min-width:9rem}
.number{text-align:right;font-variant-numeric:tabular-nums;white-space:nowrap}
code{font:.9em ui-monospace,Menlo,Consolas,monospace;background:var(--rail);padding:.1em .3em;
border-radius:.2em}
@media print{details{display:block}}
"""
