//! Compares our tokenizer with html5ever's own: both must produce the same tree.

use html5ever::TokenizerResult;
use html5ever::tendril::StrTendril;
use html5ever::tokenizer::{
    BufferQueue, Token, TokenSink, TokenSinkResult, Tokenizer, TokenizerOpts,
};
use html5ever::tree_builder::{TreeBuilder, TreeBuilderOpts};
use proptest::prelude::*;

use super::sink::Sink;
use super::{Kind, Limits, NodeId, Tree, normalised, parse};

/// html5ever's tree builder, which hears of no parse error. At one it would forget that the line feed
/// that follows `<pre>` is ignored, although the error of `</>` is no token (HTML section 13.2.6.4.7, pre).
struct Builder(TreeBuilder<NodeId, Sink>);

impl TokenSink for Builder {
    type Handle = NodeId;

    fn process_token(&self, token: Token, line: u64) -> TokenSinkResult<NodeId> {
        match token {
            Token::ParseError(_) => TokenSinkResult::Continue,
            token => self.0.process_token(token, line),
        }
    }

    fn end(&self) {
        self.0.end();
    }

    fn adjusted_current_node_present_but_not_in_html_namespace(&self) -> bool {
        self.0.adjusted_current_node_present_but_not_in_html_namespace()
    }
}

/// Builds the tree with html5ever alone.
fn by_html5ever(text: &str) -> Tree {
    let options = TreeBuilderOpts { scripting_enabled: false, ..TreeBuilderOpts::default() };
    let builder = TreeBuilder::new(Sink::new(text.len()), options);
    let tokenizer = Tokenizer::new(Builder(builder), TokenizerOpts::default());
    let queue = BufferQueue::default();
    queue.push_back(StrTendril::from_slice(text));
    // The tokenizer stops after each script so that the caller can run it.
    while !matches!(tokenizer.feed(&queue), TokenizerResult::Done) {}
    tokenizer.end();
    tokenizer.sink.0.sink.into_tree()
}

/// Writes a tree as lines, with adjacent texts merged.
fn shown(tree: &Tree, id: NodeId, depth: usize, out: &mut String) {
    let indent = "  ".repeat(depth);
    let mut child = tree.node(id).first_child;
    let mut text = String::new();
    while let Some(id) = child {
        let node = tree.node(id);
        if node.kind == Kind::Text {
            text.push_str(tree.text(id));
        } else if !text.is_empty() {
            out.extend([format!("{indent}{:?}\n", std::mem::take(&mut text))]);
        }
        match node.kind {
            Kind::Element => {
                out.extend([format!("{indent}<{:?} {}", node.space, tree.name(id))]);
                let mut attributes: Vec<_> = tree.attributes(id).collect();
                attributes.sort_unstable();
                out.extend([format!(" {attributes:?}>\n")]);
                shown(tree, id, depth + 1, out);
                if let Some(content) = tree.template_contents(id) {
                    shown(tree, content, depth + 2, out);
                }
            }
            Kind::Comment => out.extend([format!("{indent}<!--{:?}\n", tree.text(id))]),
            Kind::Doctype => out.extend([format!("{indent}<!DOCTYPE {:?}\n", tree.text(id))]),
            Kind::Text | Kind::Document | Kind::Instruction | Kind::LeftOut => {}
        }
        child = node.next;
    }
    if !text.is_empty() {
        out.extend([format!("{indent}{text:?}\n")]);
    }
}

fn dump(tree: &Tree) -> String {
    let mut out = format!("quirks {}\n", tree.quirks());
    shown(tree, Tree::ROOT, 0, &mut out);
    out
}

fn agree(text: &str) -> Result<(), TestCaseError> {
    let text = normalised(text.to_owned());
    prop_assert_eq!(
        dump(&parse(&text, &Limits::default())),
        dump(&by_html5ever(&text)),
        "{:?}",
        text
    );
    Ok(())
}

/// Generates pieces of pages, both ordinary and malicious.
fn piece() -> impl Strategy<Value = String> {
    let name = "(a|b|i|p|div|span|ul|li|table|tbody|tr|td|th|caption|col|colgroup|select|option|optgroup|form|button|input|h1|br|hr|img|pre|textarea|title|style|script|xmp|iframe|noscript|noframes|noembed|plaintext|template|svg|math|mi|mtext|annotation-xml|foreignObject|desc|font|nobr|body|html|head|base|link|meta|frameset|frame|noindex|marquee|object|applet|dd|dt|center|x-y|A|DIV|Script|ruby|rt|rp|image|isindex)";
    let attribute = "( |\n|\t|/)(class|id|href|a|CLASS|=x|x\0|encoding|type|color)( ?=( ?)(\"[a-z&;= <>'\0]{0,6}\"|'[a-z&;=\" <>]{0,6}'|[a-z&;#/]{0,5}))?";
    let references = "&(amp|amp;|AMP|copy|copy=|notit;|not|nosuch;|#65;|#x41|#x;|#0;|#128;|#xD800;|#x110000;|lt|ngE;|;|)";
    let comment = "<!(--)?(-|>|->|--|--!|[a-z<! ]{0,3}|<!--|\0)(-->|--!>|-|--|->|>|)";
    let doctype = "<!(doctype|DOCTYPE)( |)(html|HTML|x|\0|)( ?)(public|SYSTEM|PUBLIC|y|)( ?)(\"[a-z>-]{0,4}\"|'-//W3C//DTD HTML 3.2//EN'|\"|'|)( ?)(\"x\"|'y>'|z|)(>|)";
    let script =
        "(<!--|-->|--!>|<script|</script|<script>|</script>|</SCRIPT |<scriptx|->|<!-->|<!--->)";
    let cdata = "(<!\\[CDATA\\[|\\]\\]>|<\\?xml \\?>|</>|</ a>|<|</|<!|\0|\r\n|\r|<1>|</1>)";
    prop_oneof![
        6 => (name, prop::collection::vec(attribute, 0..3), "(>|/>| >|)").prop_map(|(name, attributes, end)| format!("<{name}{}{end}", attributes.concat())),
        4 => name.prop_map(|name| format!("</{name}>")),
        1 => (name, attribute).prop_map(|(name, attribute)| format!("</{name}{attribute}>")),
        4 => "[a-z \n]{0,5}",
        2 => references,
        1 => comment,
        1 => doctype,
        1 => script,
        1 => cdata,
    ]
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn both_build_the_same_tree(
        documents in prop::collection::vec(prop::collection::vec(piece(), 0..24), 12),
    ) {
        for pieces in documents {
            agree(&pieces.concat())?;
        }
    }

    #[test]
    fn both_build_the_same_tree_of_any_text(text in "\\PC{0,60}") {
        agree(&text)?;
    }

    #[test]
    fn both_read_the_same_in_scripts(pieces in prop::collection::vec("(<!--|-->|--!>|<script|</script|<script>|</script>|</SCRIPT |<scriptx|-|>|<!-->|<!--->|x|<|/)", 0..16)) {
        agree(&format!("<script>{}", pieces.concat()))?;
    }

    #[test]
    fn both_read_the_same_in_comments(text in "[-!><a]{0,12}") {
        agree(&format!("<!--{text}"))?;
        agree(&format!("<!--{text}--><b>"))?;
    }

    #[test]
    fn both_read_the_same_doctypes(text in "(DOCTYPE|doctype)[ \n]{0,2}(html|x)?[ ]{0,2}(public|system|PUBLIC|pub)?[ ]{0,1}[\"'>a ]{0,8}") {
        agree(&format!("<!{text}"))?;
        agree(&format!("<!{text}><p>x"))?;
    }
}

#[test]
fn a_line_feed_behind_an_error_without_a_token_is_ignored() {
    for text in ["<pre></>\n", "<pre></>\n\n", "<textarea>\n", "<pre>\n</>\n"] {
        agree(text).expect("the same tree");
    }
}

#[test]
fn every_reference_is_read() {
    for name in markup5ever::data::NAMED_ENTITIES.keys() {
        for text in
            [format!("&{name}"), format!("&{name}x"), format!("<a b=\"&{name}=\" c=&{name}>")]
        {
            assert_eq!(
                dump(&parse(&text, &Limits::default())),
                dump(&by_html5ever(&text)),
                "{text}"
            );
        }
    }
}

#[test]
fn limits_hold() {
    let limits = Limits { depth: 40, nodes: 500, attributes: 3 };
    let deep = parse(&"<div>".repeat(300), &limits);
    assert!(deep.met().depth.is_some() && deep.met().nodes.is_none());
    let many = parse(&"<p>x".repeat(3_000), &limits);
    assert!(many.met().nodes.is_some());
    let wide = parse("<p a b c d e>x", &limits);
    assert_eq!(wide.met().attributes, Some(0));
    let met = parse("<p a b c><div><div>", &limits).met();
    assert_eq!((met.depth, met.nodes, met.attributes), (None, None, None));
}
