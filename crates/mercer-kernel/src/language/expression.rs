//! Sums, products, powers and suffixes: the grammar at the head of `expr.rs`, one function a rule.

use super::error::{ParseErrorKind, Span};
use super::parser::{MAX_DEPTH, Parser};
use super::report::shown;
use super::token::Token;
use crate::expr::KernelExpr;

/// A kernel that was read, and how many levels its tree has.
pub(super) struct Parsed {
    pub(super) kernel: KernelExpr,
    pub(super) height: usize,
}

/// A factor of a product: a bare number, or a kernel.
enum Factor {
    Weight(f64),
    Kernel(Parsed),
}

impl Parser<'_> {
    /// `expr := term ('+' term)*`
    pub(super) fn sum(&mut self) -> Option<Parsed> {
        let start = self.span();
        let mut sum = self.product();
        loop {
            match self.peek() {
                Token::Plus => {}
                Token::Minus => self.fail(self.span(), || ParseErrorKind::Difference),
                _ => return sum,
            }
            self.take();
            let term = self.product();
            let opens = |kernel: &KernelExpr| matches!(kernel, KernelExpr::Sum(_));
            sum = self.join(start, sum, term, opens, KernelExpr::add);
        }
    }

    /// `term := number '*' factors | factors`, where a number may also come later.
    fn product(&mut self) -> Option<Parsed> {
        let start = self.span();
        let mut weight = None;
        let mut product: Option<Parsed> = None;
        let mut good = true;
        loop {
            match self.factor() {
                None => good = false,
                Some(Factor::Weight(number)) => weight = self.weigh(start, weight, number),
                Some(Factor::Kernel(factor)) if product.is_none() => product = Some(factor),
                Some(Factor::Kernel(factor)) => {
                    let opens = |kernel: &KernelExpr| matches!(kernel, KernelExpr::Product(_));
                    product = self.join(start, product, Some(factor), opens, KernelExpr::mul);
                }
            }
            if !self.another_factor() {
                break;
            }
        }
        match (good, weight, product) {
            (false, ..) => None,
            (true, Some(weight), None) => self.constant(start.to(self.last_span()), weight),
            (true, None, product) => product,
            (true, Some(weight), product) => {
                self.wrap(start, product, 0, |kernel| KernelExpr::Scale(weight, kernel))
            }
        }
    }

    /// Multiplies a number into the weight of a product.
    fn weigh(&mut self, start: Span, weight: Option<f64>, number: f64) -> Option<f64> {
        let Some(weight) = weight else { return Some(number) };
        let product = weight * number;
        if !product.is_finite() || (product == 0.0 && weight != 0.0 && number != 0.0) {
            self.fail(start.to(self.last_span()), || ParseErrorKind::WeightSize);
            return Some(1.0);
        }
        Some(product)
    }

    /// Moves to the next factor, if there is one: past `*`, or, with an error, to what looks like one.
    fn another_factor(&mut self) -> bool {
        let mut strange = false;
        while self.take_if(&Token::Bad) {
            strange = true;
        }
        if self.take_if(&Token::Star) {
            return true;
        }
        let starts = match self.peek() {
            Token::Number(_) | Token::Open => true,
            // In an argument list `kernel=rbf m=3` lacks a comma, not an operator.
            Token::Name => *self.peek_at(self.longest_name().0) != Token::Equals,
            _ => false,
        };
        if starts && !strange {
            let found = self.found();
            self.fail(self.span(), || ParseErrorKind::MissingOperator { found });
        }
        starts
    }

    fn factor(&mut self) -> Option<Factor> {
        let start = self.span();
        let mut negative = false;
        while self.take_if(&Token::Minus) {
            negative = true;
        }
        if negative {
            let number = matches!(self.peek(), Token::Number(_));
            let end = if number { self.span() } else { self.last_span() };
            self.fail(start.to(end), || ParseErrorKind::NegativeWeight);
        }
        let suffixed = matches!(self.peek_at(1), Token::Caret | Token::At | Token::OpenColumns);
        let factor = match *self.peek() {
            Token::Number(number) if !suffixed => {
                self.take();
                Some(Factor::Weight(number))
            }
            _ => self.power().map(Factor::Kernel),
        };
        factor.filter(|_| !negative)
    }

    /// `power := mapped ('^' integer)?`
    fn power(&mut self) -> Option<Parsed> {
        let start = self.span();
        let mut kernel = self.mapped();
        let (mut powers, mut suffixes) = (0, 0);
        loop {
            match self.peek() {
                Token::Caret => {
                    powers += 1;
                    if powers == 2 {
                        self.fail(self.span(), || ParseErrorKind::PowerOfPower);
                    }
                    self.take();
                    let power = self.exponent();
                    kernel = match power.filter(|_| powers == 1) {
                        Some(power) => self.wrap(start, kernel, 0, |kernel| KernelExpr::Power(kernel, power)),
                        None => None,
                    };
                }
                Token::At | Token::OpenColumns => {
                    suffixes += 1;
                    if suffixes == 1 {
                        self.fail(self.span(), || ParseErrorKind::AfterPower);
                    }
                    self.suffix(start, None);
                    kernel = None;
                }
                _ => return kernel,
            }
        }
    }

    fn exponent(&mut self) -> Option<u32> {
        let start = self.span();
        let negative = self.take_if(&Token::Minus);
        match *self.peek() {
            Token::Number(power) if !negative && (1.0..=64.0).contains(&power) && power.fract() == 0.0 => {
                self.take();
                return Some(power as u32);
            }
            Token::Bad => {
                self.take();
                return None;
            }
            Token::Number(_) | Token::Name | Token::Text(_) => {
                self.take();
            }
            Token::Open => self.skip_group(),
            _ => {
                self.expected("a whole number from 1 to 64");
                return None;
            }
        }
        let span = start.to(self.last_span());
        let found = shown(self.slice(span));
        self.fail(span, || ParseErrorKind::Power { found });
        None
    }

    /// `mapped := atom ( '[' column, … ']' | '@' map )*`
    fn mapped(&mut self) -> Option<Parsed> {
        let start = self.span();
        let mut kernel = self.atom();
        while matches!(self.peek(), Token::At | Token::OpenColumns) {
            kernel = self.suffix(start, kernel);
        }
        kernel
    }

    fn suffix(&mut self, start: Span, kernel: Option<Parsed>) -> Option<Parsed> {
        if *self.peek() == Token::OpenColumns {
            let columns = self.columns();
            let kernel = kernel.filter(|_| columns.is_some());
            return self.wrap(start, kernel, 0, |kernel| KernelExpr::On(kernel, columns.unwrap_or_default()));
        }
        self.take();
        let (map, height) = self.map()?;
        self.wrap(start, kernel, height, |kernel| KernelExpr::Mapped(kernel, map))
    }

    /// Puts a node over a kernel, beside which stands a map of height `beside`.
    pub(super) fn wrap(
        &mut self,
        start: Span,
        child: Option<Parsed>,
        beside: usize,
        make: impl FnOnce(Box<KernelExpr>) -> KernelExpr,
    ) -> Option<Parsed> {
        let child = child?;
        self.grown(start, make(Box::new(child.kernel)), child.height.max(beside) + 1)
    }

    /// Adds or multiplies two kernels; one that `opens` is opened and loses its own level.
    fn join(
        &mut self,
        start: Span,
        first: Option<Parsed>,
        second: Option<Parsed>,
        opens: impl Fn(&KernelExpr) -> bool,
        make: impl FnOnce(KernelExpr, KernelExpr) -> KernelExpr,
    ) -> Option<Parsed> {
        let (first, second) = (first?, second?);
        let level = |parsed: &Parsed| parsed.height + usize::from(!opens(&parsed.kernel));
        let height = level(&first).max(level(&second));
        self.grown(start, make(first.kernel, second.kernel), height)
    }

    pub(super) fn grown(&mut self, start: Span, kernel: KernelExpr, height: usize) -> Option<Parsed> {
        if height > MAX_DEPTH {
            self.give_up(start.to(self.last_span()), ParseErrorKind::TooDeep);
            return None;
        }
        Some(Parsed { kernel, height })
    }
}
