//! Step 14: searching deeper than asked where one move stands out.

use super::node::Node;
use super::params::Numbers;
use super::thread::Thread;
use crate::board::CheckInfo;
use crate::types::{Move, Value, value};

impl<P: Numbers> Thread<'_, P> {
    /// Step 14. By how many plies to extend the move; `Err` holds the value of a node that ends here.
    #[inline(always)]
    pub(super) fn extension<const PV: bool, const ROOT: bool>(
        &mut self,
        node: &Node,
        m: Move,
        check_info: &mut Option<CheckInfo>,
    ) -> Result<i32, Value> {
        let extension = self.singular_extension::<PV, ROOT>(node, m)?;
        // Check extension: a check that loses no material leaves few replies.
        if extension == 0
            && self.params.check_extension() != 0
            && node.ply < 2 * self.root_depth as usize
            && self.board.gives_check(check_info.get_or_insert_with(|| self.board.check_info()), m)
            && self.board.see_ge(m, 0)
        {
            return Ok(1);
        }
        Ok(extension)
    }

    /// Singular extension: without the table move, is everything else worse by a margin? By how many
    /// plies to extend the move; `Err` holds the value of a node that ends here (multi-cut, or a stop).
    #[inline(always)]
    fn singular_extension<const PV: bool, const ROOT: bool>(
        &mut self,
        node: &Node,
        m: Move,
    ) -> Result<i32, Value> {
        let params = self.params;
        let Node { depth, ply, beta, .. } = *node;
        if params.singular() == 0
            || ROOT
            || depth < params.singular_depth()
            || Some(m) != node.table_move
            || node.excluded.is_some()
            || ply >= 2 * self.root_depth as usize
        {
            return Ok(0);
        }
        let (Some(entry), Some(v)) = (&node.stored, node.table_value) else { return Ok(0) };
        if entry.depth < depth - params.singular_table_depth()
            || !entry.bound.is_lower()
            || value::is_decided(v)
        {
            return Ok(0);
        }
        let singular_beta = v - params.singular_margin() * depth / 16;
        self.frame(ply).excluded = Some(m);
        let without = self.search::<false, false>(
            singular_beta - 1,
            singular_beta,
            (depth - 1) / 2,
            ply,
            node.cut_node,
        );
        self.frame(ply).excluded = None;
        if self.must_stop() {
            return Err(value::DRAW);
        }
        if without < singular_beta {
            if !PV
                && without < singular_beta - params.double_margin()
                && i32::from(self.frame(ply).double_extensions) < params.double_max()
            {
                self.frame(ply).double_extensions += 1;
                let thrice = params.triple() != 0
                    && !m.is_capture()
                    && without < singular_beta - params.triple_margin();
                return Ok(2 + i32::from(thrice));
            }
            return Ok(1);
        }
        if singular_beta >= beta {
            // Multi-cut: even without its best move the node fails high.
            return Err(singular_beta);
        }
        // Others may fail high as well: spend less here.
        Ok(if v >= beta {
            -params.singular_fails_high()
        } else if node.cut_node {
            -params.singular_cut()
        } else {
            0
        })
    }
}
